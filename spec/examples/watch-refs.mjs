// Prints every change of a repository's refs as it happens, whoever makes it.
//   node watch-refs.mjs [PATH] [PREFIX]

import { discoverGitDir, openRefStore } from 'reftable';

const [path = '.', prefix = 'refs/'] = process.argv.slice(2);
const store = openRefStore(discoverGitDir(path).gitDir);

const short = (oid, target) => target ?? oid?.slice(0, 7) ?? 'nothing';

for await (const change of store.watch({ prefix })) {
  const from = short(change.oldOid, change.oldTarget);
  const to = short(change.newOid, change.newTarget);
  console.log(`${change.name}: ${from} -> ${to}`);
}
