-- Readers: what one has taken, under which positions. It stands in `reference` at the priority and sequence
-- it had in its queue, under the number that `home` tells: the queue's, or the reader's own.
CREATE TABLE taken (
    reader INTEGER NOT NULL,
    -- Of the first; each further one has the next.
    position INTEGER NOT NULL,
    count INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    -- Of the first; each further one has the next.
    sequence INTEGER NOT NULL,
    -- When they came.
    arrived_at REAL NOT NULL,
    home INTEGER NOT NULL,
    PRIMARY KEY (reader, position)
) WITHOUT ROWID;
