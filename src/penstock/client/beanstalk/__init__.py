"""A beanstalk client for beanstalkd and Penstock: pipelined, with deadlines, back by itself after a loss."""

from penstock.client.beanstalk.client import BeanstalkClient, connect
from penstock.client.beanstalk.consumption import JobConsumption
from penstock.client.beanstalk.job import Job, JobFacts
from penstock.client.beanstalk.outgoing import OutgoingJob
from penstock.client.beanstalk.server import ServerFacts
from penstock.client.beanstalk.tubes import TubeState
from penstock.client.beanstalk.url import BeanstalkUrl

__all__ = [
    "BeanstalkClient",
    "BeanstalkUrl",
    "Job",
    "JobConsumption",
    "JobFacts",
    "OutgoingJob",
    "ServerFacts",
    "TubeState",
    "connect",
]
