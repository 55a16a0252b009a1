// Conversations of the reference implementation of Sidetree: `node sidetree_reference.cjs VERB` reads JSON and
// writes JSON. Run by test_sidetree_reference.py, with NODE_PATH leading to @decentralized-identity/sidetree.
'use strict'

const LATEST = '@decentralized-identity/sidetree/dist/lib/core/versions/latest'
const CORE = '@decentralized-identity/sidetree/dist/lib/core'
const COMMON = '@decentralized-identity/sidetree/dist/lib/common'
const TESTS = '@decentralized-identity/sidetree/dist/tests'
const theirs = (path) => require(path).default

const Logger = theirs(`${COMMON}/Logger`)
const FetchResultCode = theirs(`${COMMON}/enums/FetchResultCode`)
const Resolver = theirs(`${CORE}/Resolver`)
const BatchWriter = theirs(`${LATEST}/BatchWriter`)
const Delta = theirs(`${LATEST}/Delta`)
const Did = theirs(`${LATEST}/Did`)
const Encoder = theirs(`${LATEST}/Encoder`)
const JsonCanonicalizer = theirs(`${LATEST}/util/JsonCanonicalizer`)
const Multihash = theirs(`${LATEST}/Multihash`)
const OperationProcessor = theirs(`${LATEST}/OperationProcessor`)
const RequestHandler = theirs(`${LATEST}/RequestHandler`)
const TransactionProcessor = theirs(`${LATEST}/TransactionProcessor`)
const MockBlockchain = theirs(`${TESTS}/mocks/MockBlockchain`)
const MockCas = theirs(`${TESTS}/mocks/MockCas`)
const MockConfirmationStore = theirs(`${TESTS}/mocks/MockConfirmationStore`)
const MockOperationQueue = theirs(`${TESTS}/mocks/MockOperationQueue`)
const MockOperationStore = theirs(`${TESTS}/mocks/MockOperationStore`)
const Generator = theirs(`${TESTS}/generators/OperationGenerator`)

let reasons = []
const note = (said) => { reasons.push(String(said && said.message ? said.message : said)) }
Logger.initialize({ info: note, warn: note, error: note })

const processor = new OperationProcessor()
const versions = { getOperationProcessor: () => processor }
const fees = { getVersionMetadata: () => ({ normalizedFeeToPerOperationFeeMultiplier: 0.001, valueTimeLockAmountMultiplier: 60000 }) }

// The request of each step, by their generator; the first step creates the DID.
const makers = {
  create: ({ update, recovery, document }) =>
    Generator.createCreateOperationRequest(recovery, update, document.publicKeys, document.services),
  update: ({ key, update, patches }, suffix) => {
    const { d, ...revealed } = key
    const next = Multihash.canonicalizeThenDoubleHashThenEncode(update)
    return Generator.createUpdateOperationRequest(suffix, revealed, key, next, patches)
  },
  recover: ({ key, update, recovery, document }, suffix) => {
    const next = Multihash.canonicalizeThenDoubleHashThenEncode(update)
    return Generator.createRecoverOperationRequest(suffix, key, recovery, next, document)
  },
  deactivate: ({ key }, suffix) => Generator.createDeactivateOperationRequest(suffix, key)
}

async function life(steps) {
  const first = await makers.create(steps[0])
  const suffix = Did.computeUniqueSuffix(first.suffixData)
  const requests = [JSON.stringify(first)]
  for (const step of steps.slice(1)) requests.push(JSON.stringify(await makers[step.type](step, suffix)))
  const state = JsonCanonicalizer.canonicalizeAsBuffer({ suffixData: first.suffixData, delta: first.delta })
  return { suffix, requests, longForm: `did:sidetree:${suffix}:${Encoder.encode(state)}` }
}

function anchored({ type, suffix, request, number }) {
  return {
    type,
    didUniqueSuffix: suffix,
    operationBuffer: Buffer.from(request),
    operationIndex: 0,
    transactionNumber: number,
    transactionTime: number
  }
}

// What they answer to who asks for DIDs, of these operations.
async function resolved({ operations, dids }) {
  const store = new MockOperationStore()
  await store.insertOrReplace(operations.map(anchored))
  const handler = new RequestHandler(new Resolver(versions, store), new MockOperationQueue(), 'sidetree')
  const answers = []
  for (const did of dids) answers.push(await handler.handleResolveRequest(did))
  return answers
}

async function taken(request) {
  const handler = new RequestHandler(new Resolver(versions, new MockOperationStore()), new MockOperationQueue(), 'sidetree')
  const { status, body } = await handler.handleOperationRequest(Buffer.from(request))
  return status === 'succeeded' ? '' : (body && body.code) || status
}

function delta(value) {
  try {
    Delta.validateDelta(value)
    return ''
  } catch (error) {
    return error.code || error.message
  }
}

class Blockchain extends MockBlockchain {
  async getFee() { return 1 }
  async getWriterValueTimeLock() { return undefined }
}

// The files of a batch of these requests, as their writer has them.
async function written(requests) {
  const queue = new MockOperationQueue()
  const cas = new MockCas()
  const blockchain = new Blockchain()
  for (const [suffix, request] of requests) await queue.enqueue(suffix, Buffer.from(request))
  await new BatchWriter(queue, blockchain, cas, fees, new MockConfirmationStore()).write()
  const files = {}
  for (const [uri, data] of cas.storage) files[uri] = data.toString('base64')
  return { anchor: blockchain.hashes[0][0], files }
}

// The operations that they find in the files of a batch; none and why, if it is none to them.
async function read({ anchor, files }) {
  reasons = []
  const kept = []
  const store = { insertOrReplace: async (operations) => { kept.push(...operations) } }
  const downloads = {
    download: async (uri, most) => {
      const content = files[uri] && Buffer.from(files[uri], 'base64')
      if (!content) return { code: FetchResultCode.NotFound }
      return content.length > most ? { code: FetchResultCode.MaxSizeExceeded } : { code: FetchResultCode.Success, content }
    }
  }
  const transaction = {
    transactionNumber: 1, transactionTime: 1, transactionTimeHash: 'hash', anchorString: anchor,
    transactionFeePaid: 1000, normalizedTransactionFee: 1, writer: 'writer'
  }
  await new TransactionProcessor(downloads, store, new Blockchain(), fees).processTransaction(transaction)
  const found = kept.map((each) => ({ type: each.type, suffix: each.didUniqueSuffix, request: each.operationBuffer.toString() }))
  return { operations: found, reasons: reasons.filter((reason) => /Invalid|Unexpected/.test(reason)) }
}

const verbs = { life, resolved, taken, delta, written, read }

async function main() {
  let said = ''
  for await (const part of process.stdin) said += part
  const answers = []
  for (const each of JSON.parse(said)) answers.push(await verbs[process.argv[2]](each))
  process.stdout.write(JSON.stringify(answers))
}

main().catch((error) => { console.error(error); process.exit(1) })
