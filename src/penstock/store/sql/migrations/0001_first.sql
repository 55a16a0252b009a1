-- The first layout.

-- Wiring, users, virtual hosts: whatever the broker defines. Its value is the broker's JSON.
CREATE TABLE definition (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- The content stands last: to read what stands behind a long one SQLite walks all of its pages.
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    -- In how many references it is stored.
    copies INTEGER NOT NULL DEFAULT 1,
    -- Which front's encoding the content is in.
    front INTEGER NOT NULL,
    -- Of the body, in bytes.
    length INTEGER NOT NULL,
    -- The content file with the body, if it is too large to stand here.
    file TEXT,
    proxy TEXT NOT NULL,
    destination TEXT NOT NULL,
    -- Further terms, and deaths.
    extra BLOB,
    content BLOB NOT NULL
);

CREATE INDEX message_with_file ON message (id) WHERE file IS NOT NULL;

CREATE TABLE reference (
    queue INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    message INTEGER NOT NULL,
    -- penstock.store.rows.Standing
    standing INTEGER NOT NULL DEFAULT 0,
    due_at REAL NOT NULL DEFAULT 0.0,
    expires_at REAL,
    acquired INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    redelivered INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (queue, priority, sequence)
) WITHOUT ROWID;

CREATE INDEX reference_expiring ON reference (queue, expires_at, priority, sequence)
    WHERE expires_at IS NOT NULL;

CREATE INDEX reference_aside ON reference (standing, queue, priority, sequence, message)
    WHERE standing <> 0;

-- What was purged or dropped and is still to be taken away. No priority means the whole queue.
CREATE TABLE cleared (
    id INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    priority INTEGER,
    first INTEGER,
    below INTEGER
);
