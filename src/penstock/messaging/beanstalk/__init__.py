"""The beanstalk adapter of the Broker port: beanstalkd, or Penstock's beanstalk front."""

from penstock.messaging.beanstalk.broker import BeanstalkBroker

__all__ = ["BeanstalkBroker"]
