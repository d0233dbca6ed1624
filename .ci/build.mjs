// Builds dist/: the library as ES modules, the command line as CommonJS, a file a command, the type
// declarations, and the licences of the packages that were bundled into them.
//   node .ci/build.mjs [--no-types]     --no-types leaves the declarations as they are

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
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

// An ES module that imports `node:fs` makes Node evaluate all that it exports, streams and their hundred
// dependencies among them, which takes as long as loading all of our own code.
const requireNodeModules = {
  name: 'require-node-modules',
  resolveId: (path) =>
    path.startsWith('node:') && path !== 'node:module' ? `\0${path}` : undefined,
  // By name, so that what nobody uses is left out, and no getter is called.
  load(id) {
    if (!id.startsWith('\0node:')) return undefined;
    const path = id.slice(1);
    const names = Object.keys(createRequire(import.meta.url)(path));
    const bindings = names.map(
      (name) => `export const ${name} = /* @__PURE__ */ valueOf_('${name}');`,
    );
    return `import { createRequire } from 'node:module';
const all = createRequire(import.meta.url)('${path}');
const valueOf_ = (name) => all[name];
export default all;
${bindings.join('\n')}`;
  },
};

// A CommonJS module has a `require` already, and loading node:module for another takes a millisecond.
const requireAsItIs = {
  name: 'require-as-it-is',
  resolveId: (path) => (path === 'node:module' ? `\0${path}` : undefined),
  load: (id) =>
    id === '\0node:module' ? 'export const createRequire = () => require;' : undefined,
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

// zod is as much code as all that reading takes, and nobody waits for it who gives no options.
const schema = { in: 'src/repository/options-schema.ts', out: 'options-schema' };
const schemaLater = later(schema.in, 'complaintAbout', schema.out);

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

// What the entries share, loaded at once; what only writing takes, loaded by the first write. No more files than
// these: each one more costs a program that imports us as much as 50 KB of code.
const libraryFiles = {
  groups: [
    { name: 'library', tags: ['$initial'], minShareCount: 2, priority: 2 },
    { name: 'start', test: /rolldown.runtime/, priority: 9 },
    {
      name: 'writing',
      test: /src.(format|table|stack|reflog|refs|files|repository.migration)|node_modules/,
      priority: 1,
    },
  ],
};

// What starts; what most commands take; what writing takes; and a file for each command. Node asks three times about
// each file before it opens it, so that more files would cost more than some code that is not used.
const commandFiles = {
  groups: [
    { name: 'start', tags: ['$initial'], priority: 3 },
    { name: 'common', minShareCount: 10, priority: 2 },
    {
      name: 'writing',
      test: /src.(format|table|stack|reflog|refs|files|cli.(commands.)?update-ref|cli.stdin)|node_modules/,
      priority: 1,
    },
  ],
};

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
    plugins: [requireNodeModules, schemaLater],
    output: { ...output, chunkFileNames: '[name].js', codeSplitting: libraryFiles },
  }),
  alone(schema, {}, commonJs()),
  ...moduleEntries
    .filter(({ isCommonJs }) => isCommonJs)
    .map((entry) => alone(entry, { plugins: [...readPartsLater, requireAsItIs] }, smallest())),
  ...readParts.map((part) => alone(part, { plugins: [errorsFromRead, requireAsItIs] }, smallest())),
  ...moduleEntries
    .filter(({ out }) => portable.has(out))
    .map((entry) => alone(entry, { platform: 'neutral' }, {})),
  alone(
    { in: cliEntry, out: 'cli' },
    { plugins: [requireAsItIs] },
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
