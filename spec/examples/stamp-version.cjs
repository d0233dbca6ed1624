// Prints a version for a build: the tag that HEAD is at, else the branch and the commit.
//   node stamp-version.cjs [FOLDER]

const { listTags, readHead } = require('reftable/read');

const folder = process.argv[2] ?? '.';
const { branch, oid } = readHead(folder);
if (oid === undefined) {
  console.log(`0.0.0-${branch}`);
} else {
  const tag = listTags(folder).find((each) => (each.peeled ?? each.oid) === oid);
  console.log(
    tag ? tag.name.replace(/^v/, '') : `0.0.0-${branch ?? 'detached'}+${oid.slice(0, 8)}`,
  );
}
