// Conversations of amqplib, the client of Node: `node amqplib.cjs NAME URL QUEUE` tells one of them.
// It ends with 0 if all went as asserted. Run by test_amqplib.py, with NODE_PATH leading to amqplib.
'use strict'

const assert = require('node:assert/strict')
const amqp = require('amqplib')

const [, , story, url, queue] = process.argv

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve))

async function take(channel, from, count) {
  const taken = []
  while (taken.length < count) {
    const message = await channel.get(from, { noAck: true })
    if (message) taken.push(message)
  }
  return taken
}

const stories = {
  async publishAndConsume(connection) {
    const channel = await connection.createChannel()
    await channel.assertQueue(queue, { exclusive: true })
    const arrived = new Promise((resolve) => {
      channel.consume(queue, (message) => { channel.ack(message); resolve(message) })
    })
    channel.sendToQueue(queue, Buffer.from('hello'), { headers: { a: 1, b: ['x', true] }, messageId: 'id' })
    const message = await arrived
    assert.equal(message.content.toString(), 'hello')
    assert.deepEqual(message.properties.headers, { a: 1, b: ['x', true] })
    assert.equal(message.properties.messageId, 'id')
    assert.equal(message.fields.redelivered, false)
  },

  async confirms(connection) {
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue(queue, { exclusive: true })
    for (let number = 0; number < 200; number++) channel.sendToQueue(queue, Buffer.from(String(number)))
    await channel.waitForConfirms()
    assert.equal((await channel.checkQueue(queue)).messageCount, 200)
    await channel.assertQueue(queue + '-full', {
      exclusive: true, arguments: { 'x-max-length': 0, 'x-overflow': 'reject-publish' }
    })
    channel.sendToQueue(queue + '-full', Buffer.from('no room'))
    await assert.rejects(channel.waitForConfirms())
  },

  async mandatory(connection) {
    const channel = await connection.createConfirmChannel()
    const returned = once(channel, 'return')
    channel.publish('', queue + '-not-there', Buffer.from('nobody'), { mandatory: true })
    assert.equal((await returned).fields.replyCode, 312)
    await channel.waitForConfirms()
  },

  async errors(connection) {
    const channel = await connection.createChannel()
    const error = once(channel, 'error')
    await assert.rejects(channel.checkQueue(queue), /404 \(NOT-FOUND\) with message "NOT_FOUND - no queue/)
    assert.equal((await error).code, 404)
    const again = await connection.createChannel()
    await again.assertQueue(queue, { exclusive: true })
    again.on('error', () => {})
    await assert.rejects(again.assertQueue(queue, { exclusive: true, messageTtl: 5 }), /inequivalent arg 'x-message-ttl'/)
  },

  async deadLetters(connection) {
    const channel = await connection.createChannel()
    const dead = (await channel.assertQueue('', { exclusive: true })).queue
    await channel.assertQueue(queue, { exclusive: true, deadLetterExchange: '', deadLetterRoutingKey: dead })
    channel.sendToQueue(queue, Buffer.from('bad'))
    channel.nack(await channel.get(queue), false, false)
    channel.sendToQueue(queue, Buffer.from('late'), { expiration: 1 })
    const [rejected, expired] = await take(channel, dead, 2)
    assert.equal(rejected.properties.headers['x-death'][0].reason, 'rejected')
    assert.equal(expired.properties.headers['x-death'][0]['original-expiration'], '1')
    assert.equal(expired.properties.headers['x-first-death-queue'], queue)
  },

  async exchanges(connection) {
    const channel = await connection.createChannel()
    await channel.assertExchange(queue + '-a', 'topic', { autoDelete: true, durable: false })
    await channel.assertExchange(queue + '-b', 'headers', { autoDelete: true, durable: false })
    await channel.assertQueue(queue, { exclusive: true })
    await channel.bindExchange(queue + '-b', queue + '-a', 'x.*')
    await channel.bindQueue(queue, queue + '-b', '', { 'x-match': 'any', colour: 'red' })
    channel.publish(queue + '-a', 'x.y', Buffer.from('yes'), { headers: { colour: 'red' } })
    channel.publish(queue + '-a', 'x.y', Buffer.from('no'), { headers: { colour: 'blue' } })
    const [message] = await take(channel, queue, 1)
    assert.equal(message.content.toString(), 'yes')
    assert.equal(await channel.get(queue), false)
  },

  async replies(connection) {
    const channel = await connection.createChannel()
    await channel.assertQueue(queue, { exclusive: true })
    await channel.consume(queue, (message) => {
      channel.sendToQueue(message.properties.replyTo, Buffer.from('answer to ' + message.content))
    }, { noAck: true })
    const answered = new Promise((resolve) => {
      channel.consume('amq.rabbitmq.reply-to', resolve, { noAck: true })
    })
    channel.sendToQueue(queue, Buffer.from('question'), { replyTo: 'amq.rabbitmq.reply-to' })
    assert.equal((await answered).content.toString(), 'answer to question')
  },

  async cancelled(connection) {
    const channel = await connection.createChannel()
    await channel.assertQueue(queue, { exclusive: true })
    const cancelled = new Promise((resolve) => { channel.consume(queue, resolve) })
    await (await connection.createChannel()).deleteQueue(queue)
    assert.equal(await cancelled, null)
  },

  async large(connection) {
    const channel = await connection.createChannel()
    await channel.assertQueue(queue, { exclusive: true })
    const body = Buffer.alloc(1_000_000, 'abc')
    channel.sendToQueue(queue, body)
    channel.sendToQueue(queue, Buffer.alloc(0))
    const [large, empty] = await take(channel, queue, 2)
    assert.ok(large.content.equals(body))
    assert.equal(empty.content.length, 0)
  }
}

async function main() {
  if (story === 'refused') {
    await assert.rejects(amqp.connect(url.replace('guest:guest', 'guest:wrong')), /ACCESS_REFUSED/)
    await assert.rejects(amqp.connect(url + 'nowhere'), /ConnectionClose/)
    return
  }
  const connection = await amqp.connect(url + '?heartbeat=5')
  await stories[story](connection)
  await connection.close()
}

if (story === '--list') console.log([...Object.keys(stories), 'refused'].join('\n'))
else main().catch((error) => { console.error(error); process.exit(1) })
