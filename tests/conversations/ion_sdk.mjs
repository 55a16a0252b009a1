// Conversations of ion-sdk, with which wallets make DIDs of ION: `node ion_sdk.mjs FILE` imports its module from
// there, reads plans and writes the requests that it makes of them. Run by test_ion_sdk.py.
import { pathToFileURL } from 'node:url'

const { IonDid, IonRequest, LocalSigner } = await import(pathToFileURL(process.argv[2]))

const own = ({ d, ...shown }) => shown

const makers = {
  create: ({ update, recovery, document }) =>
    IonRequest.createCreateRequest({ recoveryKey: recovery, updateKey: update, document }),
  update: ({ key, update, add, remove }, didSuffix) => IonRequest.createUpdateRequest({
    didSuffix,
    signer: LocalSigner.create(key),
    updatePublicKey: own(key),
    nextUpdatePublicKey: update,
    publicKeysToAdd: add.publicKeys,
    servicesToAdd: add.services,
    idsOfPublicKeysToRemove: remove,
    idsOfServicesToRemove: remove
  }),
  recover: ({ key, update, recovery, document }, didSuffix) => IonRequest.createRecoverRequest({
    didSuffix,
    signer: LocalSigner.create(key),
    recoveryPublicKey: own(key),
    nextRecoveryPublicKey: recovery,
    nextUpdatePublicKey: update,
    document
  }),
  deactivate: ({ key }, didSuffix) => IonRequest.createDeactivateRequest({
    didSuffix,
    signer: LocalSigner.create(key),
    recoveryPublicKey: own(key)
  })
}

async function life(steps) {
  const { update, recovery, document } = steps[0]
  const first = await makers.create(steps[0])
  const suffix = await IonDid.computeDidUniqueSuffix(first.suffixData)
  const requests = [first]
  for (const step of steps.slice(1)) requests.push(await makers[step.type](step, suffix))
  const longForm = await IonDid.createLongFormDid({ recoveryKey: recovery, updateKey: update, document })
  return { suffix, longForm, requests: requests.map((request) => JSON.stringify(request)) }
}

let said = ''
for await (const part of process.stdin) said += part
const told = []
for (const steps of JSON.parse(said)) told.push(await life(steps))
process.stdout.write(JSON.stringify(told))
