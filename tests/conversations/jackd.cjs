// Conversations of jackd, a beanstalk client of Node: `node jackd.cjs HOST PORT TUBE` tells all of them.
// It ends with 0 if all went as asserted. Run by test_jackd.py, with NODE_PATH leading to jackd.
'use strict'

const assert = require('node:assert/strict')
const Jackd = require('jackd')

const [, , host, port, tube] = process.argv

async function connected() {
  const client = new Jackd()
  await client.connect({ host, port: Number(port) })
  await client.use(tube)
  await client.watch(tube)
  await client.ignore('default')
  return client
}

const stories = {
  async putAndReserve(client) {
    const id = await client.put({ route: '/building/finishUpgrade', content: { id: 5 } }, { ttr: 60 })
    const job = await client.reserve()
    assert.equal(job.id, id)
    assert.deepEqual(JSON.parse(job.payload.toString()), { route: '/building/finishUpgrade', content: { id: 5 } })
    await client.touch(id)
    await client.delete(id)
    await assert.rejects(client.delete(id), /NOT_FOUND/)
  },

  async texts(client) {
    const text = 'schön, zwei Zeilen\r\nRESERVED 5 5\r\n'
    const id = await client.put(text)
    const job = await client.reserveWithTimeout(0)
    assert.equal(job.payload.toString(), text)
    await client.delete(id)
    await assert.rejects(client.put('x'.repeat(65536)), /JOB_TOO_BIG/)
  },

  async priorities(client) {
    for (const priority of [30, 10, 20]) await client.put(String(priority), { priority })
    for (const expected of ['10', '20', '30']) {
      const job = await client.reserve()
      assert.equal(job.payload.toString(), expected)
      await client.delete(job.id)
    }
    await assert.rejects(client.reserveWithTimeout(0), /TIMED_OUT/)
  },

  async aside(client) {
    const id = await client.put('later', { delay: 600 })
    assert.equal((await client.peekDelayed()).id, id)
    await client.kickJob(id)
    await client.reserve()
    await client.bury(id)
    assert.equal((await client.peekBuried()).id, id)
    assert.equal(await client.kick(10), 1)
    await client.reserve()
    await client.release(id, { priority: 5, delay: 0 })
    const told = await client.statsJob(id)
    for (const line of ['state: ready', 'pri: 5', 'reserves: 2', 'releases: 1', 'buries: 1', 'kicks: 2']) {
      assert.ok(told.split('\n').includes(line), `${line} is not in ${told}`)
    }
    await client.delete(id)
  },

  async waiting(client) {
    const other = await connected()
    const reserved = other.reserve()
    await client.put('at last')
    const job = await reserved
    assert.equal(job.payload.toString(), 'at last')
    await other.delete(job.id)
    await other.disconnect()
  },

  async tubes(client) {
    assert.ok((await client.listTubes()).includes(`- ${tube}\n`))
    assert.equal(await client.listTubeUsed(), tube)
    assert.match(await client.statsTube(tube), /current-jobs-ready: 0/)
    await assert.rejects(client.ignore(tube), /NOT_IGNORED/)
    assert.match(await client.stats(), /cmd-put: /)
  }
}

async function main() {
  const client = await connected()
  for (const [name, tell] of Object.entries(stories)) {
    await tell(client)
    console.log(name)
  }
  await client.disconnect()
}

main().catch((error) => { console.error(error); process.exit(1) })
