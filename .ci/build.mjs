// Builds dist/: the library and the command line as CommonJS, which can load its parts when they are first needed
// without anybody waiting; the library's faces as ES modules; the type declarations, and the licences of the packages
// that were bundled into them.
//   node .ci/build.mjs [--no-types]     --no-types leaves the declarations as they are

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { build } from 'rolldown';
import { buildPage } from './build-page.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const cliEntry = 'src/cli/main.ts';

/** The library's entries as `package.json` exports them: `./format` is src/format/index.ts. */
const moduleEntries = Object.entries(manifest.exports).map(([path, { default: file }]) => ({
  in: join('src', path, 'index.ts'),
  out: file.replace(/^\.\/dist\/(.*)\.c?js$/, '$1'),
  // CommonJS where Node is to load it from modules of either kind, and as fast as it can.
  isCommonJs: file.endsWith('.cjs'),
}));

const missing = [cliEntry, ...moduleEntries.map((entry) => entry.in)].filter(
  (file) => !existsSync(file),
);
if (missing.length > 0) fail(`missing entry points: ${missing.join(', ')}`);

const typesToo = !process.argv.includes('--no-types');
for (const name of existsSync('dist') ? readdirSync('dist') : []) {
  if (typesToo || name !== 'types') rmSync(join('dist', name), { recursive: true });
}

const common = {
  cwd: process.cwd(),
  platform: 'node',
  // What is imported late in one place may be part of what is loaded late in another.
  checks: { ineffectiveDynamicImport: false },
  transform: { target: 'node20', define: { 'import.meta.dirname': '__dirname' } },
  // proper-lockfile is always given its own `fs`. Its default, graceful-fs, would patch the `fs` of
  // the process that loads us, and costs start-up time; Node's stands in for it.
  resolve: { alias: { 'graceful-fs': 'node:fs' } },
};

// Less to read at each start. Names stay, for stack traces, and lines are short, for Node shows the one that throws.
const smaller = (options) => ({
  name: 'smaller',
  async renderChunk(chunk) {
    const common = { target: 'node20', lineLimit: 100, legalComments: 'none' };
    const { code } = await transform(chunk, { ...common, ...options });
    return code;
  },
});

const output = {
  dir: 'dist',
  minify: false,
  plugins: [smaller({ minifySyntax: true, minifyWhitespace: true })],
};

// A CommonJS module has a `require` already, and loading node:module for another takes a millisecond.
const requireAsItIs = {
  name: 'require-as-it-is',
  resolveId: (path) => (path === 'node:module' ? `\0${path}` : undefined),
  load: (id) =>
    id === '\0node:module' ? 'export const createRequire = () => require;' : undefined,
};

// signal-exit asks Node's `assert` whether a function is one. Loading that takes as long as a small transaction.
const plainAssert = {
  name: 'plain-assert',
  resolveId: (path) => (path === 'assert' ? '\0assert' : undefined),
  load: (id) =>
    id === '\0assert'
      ? 'export const equal = (found, wanted, complaint) => { if (found !== wanted) throw new TypeError(complaint); };'
      : undefined,
};

/** In the place of a module that is seldom needed: its function, which loads the module's own file when it is called. */
const later = (file, name, built) => ({
  name: 'later',
  resolveId: (path) => (path.endsWith(`/${basename(file)}`) ? `\0later:${file}` : undefined),
  load: (id) =>
    id === `\0later:${file}`
      ? `import { createRequire } from 'node:module';
export const ${name} = (...given) => createRequire(import.meta.url)('./${built}.cjs').${name}(...given);`
      : undefined,
});

// What is big, and not needed by all who load us. Each exports one function, and is loaded by the first call of it,
// which need not wait as it would for `import()`.
const lateParts = {
  'src/repository/current-branch.ts': 'currentBranch', // only some configurations depend on it
  'src/reflog/exact-date.ts': 'parseExactDate',
  'src/objects/packs/pack.ts': 'openPack',
  'src/refs/transaction/intake.ts': 'openIntake',
  'src/refs/watching/stack-feed.ts': 'stackFeeds',
  'src/stack/leftovers.ts': 'removeLeftovers',
  'src/repository/options-schema.ts': 'complaintAbout', // zod is as much code as all that reading takes
  'src/repository/files-backend.ts': 'openFiles',
  'src/repository/reftable-backend.ts': 'openReftable',
};

const lateInCommands = {
  'src/cli/revisions/revisions.ts': 'resolveRevision',
};

// A program may import us and open nothing.
const lateInLibrary = {
  'src/repository/backend.ts': 'openBackend',
  'src/repository/discover.ts': 'discoverGitDir',
};

const loadLate = (lateParts) => ({
  name: 'load-late',
  resolveId(path, importer) {
    if (importer === undefined || importer.startsWith('\0late:')) return undefined;
    const file = Object.keys(lateParts).find((each) => path.endsWith(`/${basename(each)}`));
    return file && `\0late:${lateParts[file]}`;
  },
  load(id) {
    if (!id.startsWith('\0late:')) return undefined;
    const name = id.slice('\0late:'.length);
    const [file] = Object.entries(lateParts).find(([, each]) => each === name);
    return `export const ${name} = (...given) => now_(import(${JSON.stringify(resolve(file))})).${name}(...given);`;
  },
  // The bundler makes of `import()` a promise of what is required, and of the part that is asked for.
  renderChunk(code) {
    const atOnce = code.replace(
      /now_\(Promise\.resolve\(\)\.then\(\(\) => (require\("[^"]+"\)|\w+)\)(?:\.then\(\((\w+)\) => \2(\.\w+)\))?\)/g,
      (_, required, _name, part = '') => `${required}${part}`,
    );
    if (atOnce.includes('now_(')) fail('what is loaded late was built in an unknown way');
    return atOnce;
  },
});

// For a path that is whole Node asks once less.
const requireByPath = {
  name: 'require-by-path',
  renderChunk: (code) => code.replaceAll('require("./', 'require(__dirname + "/'),
};

// `reftable/read` needs one of the backends, and seldom has to look at objects. These take their errors from there, for
// there is one `RefError`.
const readParts = [
  { in: 'src/read/reftable-refs.ts', out: 'read-reftable', name: 'openReftableRefs' },
  { in: 'src/read/loose-refs.ts', out: 'read-files', name: 'openLooseRefs' },
  { in: 'src/read/peeling.ts', out: 'read-peeling', name: 'peeledBy' },
];
const readPartsLater = readParts.map((part) => later(part.in, part.name, part.out));
const errorsFromRead = {
  name: 'errors-from-read',
  resolveId: (path) =>
    path.endsWith('/errors.ts') ? { id: './read.cjs', external: true } : undefined,
};

// What any repository takes; what each ref storage takes; what writing takes, in any storage and in each. A
// module goes into the first that its path fits, and so does what it imports. Node asks three times about each file before
// it opens it, so that more files would cost more than some code that is not used.
const parts = [
  {
    name: 'repository',
    rooms: [
      'cli/(arguments|c-quoting|descriptors|failure|output|ref-names|repository|revisions/resolve-oid|stdin)',
      'format/(scratch|varint)',
      'objects/(commit-links|object-fault|oid-map|tag-target)',
      'refs/(ref-name|resolve)',
      'refs/transaction/(prepared|transaction-hook|transaction-options|update-flags)',
      'refs/watching/(bell|watch-options|watch-refs)',
      'refs/worktrees/(merged-names|worktree-ref)',
      'repository/(backend|discover|objects)',
      'stack/(lock/machine|stack-files|tables-list)',
      'table/ref-iterator',
    ],
    others: '^\\0late:',
  },
  { name: 'reftable', rooms: ['repository/reftable-backend'] },
  { name: 'files', rooms: ['repository/files-backend'] },
  {
    name: 'writing',
    rooms: [
      'cli/(commands/update-ref|update-ref/.*)',
      'refs/transaction/(intake|planner)',
      'stack/lock/stack-lock',
    ],
    others: '/node_modules/(proper-lockfile|retry|signal-exit)/',
  },
  {
    name: 'table-writing',
    rooms: [
      '(format|refs/transaction|refs/worktrees|stack/lock|table)/.*',
      'refs/table-writing',
      'stack/addition',
    ],
  },
  { name: 'file-writing', rooms: ['files/(?!verification/).*'] },
].map(({ name, rooms, others = '^$' }, place) => ({
  name,
  test: new RegExp(`/src/(${rooms.join('|')})\\.ts$|${others}`),
  priority: 9 - place,
}));

const libraryFiles = {
  groups: [
    {
      name: 'start',
      test: /src.(errors|reflog.policy)|late:(openBackend|discoverGitDir)/,
      priority: 10,
    },
    ...parts,
  ],
};

const commandFiles = { groups: [{ name: 'start', tags: ['$initial'], priority: 10 }, ...parts] };

// These know nothing of Node, and browsers load them as they are.
const portable = new Set(['format', 'table']);

const inputsOf = (entries) => Object.fromEntries(entries.map((entry) => [entry.out, entry.in]));

/** Where one entry must not bring a file beside its own, it gets a build of its own. */
const alone = (entry, options, written) =>
  build({ ...common, input: inputsOf([entry]), ...options, output: { ...output, ...written } });

const results = await Promise.all([
  build({
    ...common,
    input: inputsOf(
      moduleEntries.filter(({ out, isCommonJs }) => !isCommonJs && !portable.has(out)),
    ),
    plugins: [loadLate({ ...lateParts, ...lateInLibrary }), requireAsItIs, plainAssert],
    output: {
      ...output,
      ...commonJs(),
      chunkFileNames: '[name].cjs',
      codeSplitting: libraryFiles,
    },
  }),
  ...moduleEntries
    .filter(({ isCommonJs }) => isCommonJs)
    .map((entry) => alone(entry, { plugins: [...readPartsLater, requireAsItIs] }, smallest())),
  ...readParts.map((part) => alone(part, { plugins: [errorsFromRead, requireAsItIs] }, smallest())),
  ...moduleEntries
    .filter(({ out }) => portable.has(out))
    .map((entry) => alone(entry, { platform: 'neutral' }, {})),
  alone(
    { in: cliEntry, out: 'cli' },
    {
      plugins: [
        loadLate({ ...lateParts, ...lateInCommands }),
        requireAsItIs,
        plainAssert,
        requireByPath,
      ],
    },
    {
      ...commonJs(),
      banner: ({ isEntry }) => (isEntry ? '#!/usr/bin/env node' : ''),
      chunkFileNames: 'cli-[name].cjs',
      codeSplitting: commandFiles,
    },
  ),
]).catch((error) => fail(error.message));

function commonJs() {
  return { format: 'cjs', entryFileNames: '[name].cjs' };
}

function smallest() {
  return { ...commonJs(), plugins: [smaller({ minify: true, format: 'cjs' })] };
}

for (const chunk of results[0].output) if (chunk.isEntry) writeFace(chunk);

const page = await buildPage().catch((error) => fail(error.message));
writeFileSync('dist/inspector.html', page.html);

writeFileSync(
  'dist/THIRD-PARTY-LICENSES.txt',
  licences([...bundledPackages(results), ...page.packages]),
);

if (typesToo) {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  } catch {
    fail('the type declarations could not be made');
  }
  for (const { isCommonJs, out } of moduleEntries) if (isCommonJs) copyTypes(`${out}/index`);
  refuseForeignTypes();
}

/** What modules import: all that the entry exports, by name. */
function writeFace({ name, fileName, exports }) {
  const code = `import entry from './${fileName}';\nexport const { ${exports.join(', ')} } = entry;\n`;
  writeFileSync(`dist/${name}.js`, code);
}

/** For a program in CommonJS, TypeScript wants the declarations of a CommonJS module to be in its own kind of file. */
function copyTypes(name) {
  const text = readFileSync(`dist/types/${name}.d.ts`, 'utf8');
  writeFileSync(`dist/types/${name}.d.cts`, text.replace(/( from '\..*)\.ts(?=';)/g, '$1.cts'));
  for (const [, path] of text.matchAll(/ from '(\..*)\.ts';/g))
    copyTypes(join(dirname(name), path));
}

/** What is bundled is not installed with the package, so its types must not show in ours. */
function refuseForeignTypes() {
  for (const name of readdirSync('dist/types', { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(join('dist/types', name), 'utf8');
    const foreign = /(?:from|import\() ?['"](?!\.|node:)([^'"]+)/.exec(text)?.[1];
    if (foreign !== undefined) fail(`dist/types/${name} speaks of '${foreign}', which users lack`);
  }
}

/** The folders of the packages that have code in the bundles, sorted. */
function bundledPackages(builds) {
  const folders = new Set();
  for (const file of builds.flatMap(({ output: files }) => files)) {
    for (const [id, { renderedLength }] of Object.entries(file.modules ?? {})) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
      if (folder !== undefined && renderedLength > 0) folders.add(relative('.', folder));
    }
  }
  return [...folders].sort();
}

/** The licence texts of packages, one after the other; a package without one stops the build. */
function licences(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json')));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) fail(`${folder}: bundled, but has no licence file`);
    const text = readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `The files in this folder contain code of these packages:\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

function fail(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}
