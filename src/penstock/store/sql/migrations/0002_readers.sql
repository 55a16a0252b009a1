-- Readers. What one has taken stands in `reference` under the reader's number, at the priority and
-- sequence it had in its queue; here it says under which positions.
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
    PRIMARY KEY (reader, position)
) WITHOUT ROWID;
