-- definitions: all of them.
SELECT kind, key, value FROM definition
ORDER BY kind, key;

-- lines: how many stand where, whatever their standing.
SELECT queue, priority, count(*), max(sequence) FROM reference
GROUP BY queue, priority;

-- out_of_line: how many of them fetch does not find, and how many of these aside does.
SELECT queue, priority, count(*), sum(standing <> 3) FROM reference INDEXED BY reference_aside
WHERE standing <> 0 AND (standing <> 3 OR message <= :void)
GROUP BY queue, priority;

-- takings: what readers have taken.
SELECT reader, position, count, priority, sequence, arrived_at FROM taken
ORDER BY reader, position;

-- last_message: the highest id.
SELECT coalesce(max(id), 0) FROM message;

-- fetch: in order of sequence.
SELECT r.priority, r.sequence, r.message, r.standing, r.due_at, r.expires_at, r.acquired, r.failed,
       r.redelivered, r.error, m.front, m.content, m.proxy, m.destination, m.length, m.extra, m.file, m.copies
FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND r.priority = :priority AND r.sequence >= :first AND r.sequence < :below
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.sequence
LIMIT :limit;

-- aside: delayed and buried ones.
SELECT r.priority, r.sequence, r.message, r.standing, r.due_at, r.expires_at, r.acquired, r.failed,
       r.redelivered, r.error, m.front, m.content, m.proxy, m.destination, m.length, m.extra, m.file, m.copies
FROM reference AS r INDEXED BY reference_aside CROSS JOIN message AS m ON m.id = r.message
WHERE r.standing = :standing AND r.standing <> 0 AND r.queue = :queue AND (r.priority, r.sequence) > (:priority, :sequence)
ORDER BY r.priority, r.sequence
LIMIT :limit;

-- expiring: those that fetch finds, in order of expiry.
SELECT r.priority, r.sequence, r.message, r.standing, r.due_at, r.expires_at, r.acquired, r.failed,
       r.redelivered, r.error, m.front, m.content, m.proxy, m.destination, m.length, m.extra, m.file, m.copies
FROM reference AS r INDEXED BY reference_expiring CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND r.expires_at IS NOT NULL
  AND (r.expires_at, r.priority, r.sequence) > (:expires_at, :priority, :sequence)
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.expires_at, r.priority, r.sequence
LIMIT :limit;

-- weigh: the bytes in a queue.
SELECT coalesce(sum(m.length), 0) FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND (r.standing <> 3 OR r.message > :void);
