"""A small waterworks: the sample load of `penstock up`, and an application to look at.

Gauges measure levels. Each reading is committed with a message in an outbox; consumers and a Spark pipeline
get it. Now and then a valve sticks: an inspection is put, with progress, or a repair for later, or a pump is
tested that does not always pass. A few messages are wrong on purpose, so that there are dead letters.
"""
