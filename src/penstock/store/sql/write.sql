-- insert_plain_message: a message in one queue, with nothing special to it.
INSERT INTO message (id, front, content, proxy, destination, length)
VALUES (?, ?, ?, ?, ?, ?);

-- insert_message: one with further terms, a content file, or several queues.
INSERT INTO message (id, front, content, proxy, destination, length, extra, file, copies)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_plain_reference: ready, never handed out, never expiring.
INSERT INTO reference (queue, priority, sequence, message)
VALUES (?, ?, ?, ?);

-- insert_reference: any other.
INSERT INTO reference
    (queue, priority, sequence, message, standing, due_at, expires_at, acquired, failed, redelivered, error)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- change_reference: its counts, its times, where it stands.
UPDATE reference
SET priority = ?, standing = ?, due_at = ?, expires_at = ?,
    acquired = ?, failed = ?, redelivered = ?, error = ?
WHERE queue = ? AND priority = ? AND sequence = ?;

-- remove_references: a run of them.
DELETE FROM reference
WHERE queue = ? AND priority = ? AND sequence BETWEEN ? AND ?;

-- files_let_go: the content files of those that one copy fewer will delete.
SELECT id, file FROM message INDEXED BY message_with_file
WHERE file IS NOT NULL AND id BETWEEN ? AND ? AND copies <= 1;

-- delete_messages: a run of messages, as far as this was their last copy.
DELETE FROM message
WHERE id BETWEEN ? AND ? AND copies <= 1;

-- count_down: the run's other messages have one copy fewer.
UPDATE message SET copies = copies - 1
WHERE id BETWEEN ? AND ?;

-- clear: what is ready there is void.
INSERT INTO cleared (queue, priority, first, below)
VALUES (?, ?, ?, ?);

-- drop: the whole queue is void.
INSERT INTO cleared (queue)
VALUES (?);

-- define: put a definition.
INSERT INTO definition (kind, key, value)
VALUES (?, ?, ?)
ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value;

-- undefine: delete one.
DELETE FROM definition
WHERE kind = ? AND key = ?;
