"""HTTP/1.1 on the AMQP port: readers of queues, ranges as Arrow, tables to publish."""
