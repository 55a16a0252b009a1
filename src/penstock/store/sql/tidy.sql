-- next_dropped: the oldest queue that is still to be taken away.
SELECT id, queue FROM cleared
WHERE priority IS NULL
ORDER BY id
LIMIT 1;

-- next_cleared: the oldest purged span.
SELECT id, queue, priority, first, below FROM cleared
WHERE priority IS NOT NULL
ORDER BY id
LIMIT 1;

-- slice_of_dropped: some of what is left of a queue.
SELECT queue, priority, sequence, message FROM reference
WHERE queue = ?
ORDER BY priority, sequence
LIMIT ?;

-- slice_of_cleared: some of what is left of a purged span.
SELECT queue, priority, sequence, message FROM reference
WHERE queue = ? AND priority = ? AND sequence >= ? AND sequence < ? AND standing IN (0, 3)
ORDER BY sequence
LIMIT ?;

-- run_of_cleared: the same as one row: how many, between which sequences and with which messages.
SELECT count(*), min(sequence), max(sequence), min(message), max(message) FROM (
    SELECT sequence, message FROM reference
    WHERE queue = ? AND priority = ? AND sequence >= ? AND sequence < ? AND standing IN (0, 3)
    ORDER BY sequence
    LIMIT ?
);

-- move_cleared: the span begins further on.
UPDATE cleared SET first = ?
WHERE id = ?;

-- forget_empty: dropped queues nothing is left of. Their numbers may come again after a start.
DELETE FROM cleared
WHERE priority IS NULL AND NOT EXISTS (SELECT 1 FROM reference WHERE reference.queue = cleared.queue);

-- forget_cleared: it is all gone.
DELETE FROM cleared
WHERE id = ?;

-- slice_of_overflowed: the next that overflowed in this run or an earlier one.
SELECT queue, priority, sequence, message FROM reference INDEXED BY reference_aside
WHERE standing = 3 AND standing <> 0 AND (queue, priority, sequence) > (?, ?, ?)
ORDER BY queue, priority, sequence
LIMIT ?;

-- rows_with_file: every message whose body is in a content file.
SELECT id, file, length FROM message INDEXED BY message_with_file
WHERE file IS NOT NULL;

-- references_to: wherever a message stands; it reads them all.
SELECT queue, priority, sequence, message FROM reference
WHERE message = ?;

-- message: all there is to say about one.
SELECT id, front, content, proxy, destination, length, extra, file, copies FROM message
WHERE id = ?;

-- remove_reference: one.
DELETE FROM reference
WHERE queue = ? AND priority = ? AND sequence = ?;

-- delete_message: one, however many copies it was thought to have.
DELETE FROM message
WHERE id = ?;
