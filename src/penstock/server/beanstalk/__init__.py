"""The beanstalk front: sessions, and tubes, which are queues of the one broker."""
