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
SELECT reader, position, count, priority, sequence, arrived_at, home FROM taken
ORDER BY reader, position;

-- last_message: the highest id.
SELECT coalesce(max(id), 0) FROM message;

-- fetch: in order of sequence.
SELECT r.priority, r.sequence, r.message, r.standing, r.due_at, r.expires_at, r.acquired, r.failed,
       r.redelivered, r.error, r.remarks, m.front, m.content, m.proxy, m.destination, m.length, m.extra, m.file,
       m.copies
FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND r.priority = :priority AND r.sequence >= :first AND r.sequence < :below
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.sequence
LIMIT :limit;

-- nth: the sequence of one of them.
SELECT r.sequence FROM reference AS r
WHERE r.queue = :queue AND r.priority = :priority AND r.sequence >= :first AND r.sequence < :below
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.sequence
LIMIT 1 OFFSET :skip;

-- run: how many of the first stand in line, between which sequences.
SELECT count(*), coalesce(min(sequence), 0), coalesce(max(sequence), 0), 0 FROM (
    SELECT sequence FROM reference
    WHERE queue = :queue AND priority = :priority AND sequence >= :first AND sequence < :below AND standing = 0
    ORDER BY sequence
    LIMIT :limit
);

-- weighed_run: the same, and the length of their bodies; none at all if there is more to some of them.
SELECT iif(count(extra), 0, count(*)), coalesce(min(sequence), 0), coalesce(max(sequence), 0), coalesce(sum(length), 0)
FROM (
    SELECT r.sequence, m.length, m.extra FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
    WHERE r.queue = :queue AND r.priority = :priority AND r.sequence >= :first AND r.sequence < :below
      AND r.standing = 0
    ORDER BY r.sequence
    LIMIT :limit
);

-- fetch_raw: the messages that fetch finds, if they are in one front's form.
SELECT r.sequence, m.content, m.proxy, m.destination, r.acquired > 1 OR r.redelivered > 0,
       m.front = :front AND m.file IS NULL
FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND r.priority = :priority AND r.sequence >= :first AND r.sequence < :below
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.sequence
LIMIT :limit;

-- first: the first that fetch_raw finds.
SELECT r.sequence, r.message, m.proxy, m.destination, length(m.content)
FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND r.priority = :priority AND r.sequence >= :first AND r.sequence < :below
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.sequence
LIMIT 1;

-- neighbours: how many that fetch finds and nobody ever had in hand have a message so far ahead, and the last of them.
SELECT count(*), max(sequence) FROM reference
WHERE queue = :queue AND priority = :priority AND sequence >= :first AND sequence < :below
  AND message = sequence + :ahead
  AND (standing = 0 OR standing = 3 AND message > :void) AND acquired <= 1 AND redelivered = 0;

-- contents: a run of messages that are alike, one behind the other in one row, and the length of each. SQLite steps
-- once then, and not once a row, at each of which the interpreter's lock would change hands.
SELECT count(*), CAST(group_concat(content, '') AS BLOB), group_concat(length(content)) FROM message
WHERE id BETWEEN :first AND :last
  AND front = :front AND file IS NULL AND proxy = :proxy AND destination = :destination;

-- aside: delayed and buried ones.
SELECT r.priority, r.sequence, r.message, r.standing, r.due_at, r.expires_at, r.acquired, r.failed,
       r.redelivered, r.error, r.remarks, m.front, m.content, m.proxy, m.destination, m.length, m.extra, m.file,
       m.copies
FROM reference AS r INDEXED BY reference_aside CROSS JOIN message AS m ON m.id = r.message
WHERE r.standing = :standing AND r.standing <> 0 AND r.queue = :queue AND (r.priority, r.sequence) > (:priority, :sequence)
ORDER BY r.priority, r.sequence
LIMIT :limit;

-- expiring: those that fetch finds, in order of expiry.
SELECT r.priority, r.sequence, r.message, r.standing, r.due_at, r.expires_at, r.acquired, r.failed,
       r.redelivered, r.error, r.remarks, m.front, m.content, m.proxy, m.destination, m.length, m.extra, m.file,
       m.copies
FROM reference AS r INDEXED BY reference_expiring CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND r.expires_at IS NOT NULL
  AND (r.expires_at, r.priority, r.sequence) > (:expires_at, :priority, :sequence)
  AND (r.standing = 0 OR r.standing = 3 AND r.message > :void)
ORDER BY r.expires_at, r.priority, r.sequence
LIMIT :limit;

-- weigh: the bytes in a queue.
SELECT coalesce(sum(m.length), 0) FROM reference AS r CROSS JOIN message AS m ON m.id = r.message
WHERE r.queue = :queue AND (r.standing <> 3 OR r.message > :void);
