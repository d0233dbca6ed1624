// Builds dist/: the library as ES modules, the command line as one CommonJS file, the type
// declarations, and the licences of the packages that were bundled into them.
//   node .ci/build.mjs [--no-types]     --no-types leaves the declarations as they are

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
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
  absWorkingDir: process.cwd(),
  bundle: true,
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  legalComments: 'none',
  // Less to read at each start; names stay, for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 100,
  logLevel: 'warning',
  metafile: true,
  // proper-lockfile is always given its own `fs`. Its default, graceful-fs, would patch the `fs` of
  // the process that loads us, and costs start-up time; Node's stands in for it.
  alias: { 'graceful-fs': 'node:fs' },
};

// Bundled CommonJS packages `require` Node's modules, and an ES module has no `require`.
const requireForEsm = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;

// So do we: an ES module that imports `node:fs` makes Node evaluate all that it exports, streams and
// their hundred dependencies among them, which takes as long as loading all of our own code.
const requireNodeModules = {
  name: 'require-node-modules',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === 'node' || path === 'node:module'
        ? { path, external: true }
        : { path, namespace: 'node' },
    );
    // By name, so that what nobody uses is left out, and no getter is called.
    build.onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path));
      const bindings = names.map(
        (name) => `export const ${name} = /* @__PURE__ */ valueOf_('${name}');`,
      );
      return {
        contents: `const all = require('${path}');
const valueOf_ = (name) => all[name];
export default all;
${bindings.join('\n')}`,
      };
    });
  },
};

// A CommonJS module has a `require` already, and loading node:module for another takes a millisecond.
const requireAsItIs = {
  name: 'require-as-it-is',
  setup(build) {
    build.onResolve({ filter: /^node:module$/ }, ({ path }) => ({ path, namespace: 'require' }));
    build.onLoad({ filter: /.*/, namespace: 'require' }, () => ({
      contents: 'export const createRequire = () => require;',
    }));
  },
};

// zod is part of the bundle, but is started by the first call that needs it.
const schemaFile = /options-schema\.ts$/;
const startSchemaLater = {
  name: 'start-schema-later',
  setup(build) {
    build.onResolve({ filter: schemaFile }, ({ path, resolveDir, namespace }) =>
      namespace === 'later' ? undefined : { path: join(resolveDir, path), namespace: 'later' },
    );
    build.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
      contents: `export const complaintAbout = (...given) => require('${path}').complaintAbout(...given);`,
      resolveDir: dirname(path),
    }));
  },
};

// Loaded by the first lock alone, so it stays a file of its own.
const lockLibrary = 'proper-lockfile';
const lockLibraryApart = {
  name: 'lock-library-apart',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${lockLibrary}$`) }, () => ({
      path: `./${lockLibrary}.js`,
      external: true,
    }));
  },
};

// `reftable/read` seldom has to look at objects: what reads them stays a file of its own, which takes its errors from
// there.
const peelingApart = {
  name: 'peeling-apart',
  setup(build) {
    build.onResolve({ filter: /^\.\/peeling\.ts$/ }, ({ path }) => ({
      path,
      namespace: 'peeling',
    }));
    build.onLoad({ filter: /.*/, namespace: 'peeling' }, () => ({
      contents: `export const peeledBy = (...given) => require('./read-peeling.cjs').peeledBy(...given);`,
    }));
    build.onResolve({ filter: /^\.\/read-peeling\.cjs$/ }, ({ path }) => ({
      path,
      external: true,
    }));
    if (build.initialOptions.entryPoints[0].out !== 'read-peeling') return;
    build.onResolve({ filter: /\/errors\.ts$/ }, () => ({ path: './read.cjs', external: true }));
  },
};

// These know nothing of Node, and browsers load them as they are.
const portable = new Set(['format', 'table']);

// Each entry is one file: every further one that is imported costs as much as 50 KB of code.
const library = ({ isCommonJs, ...entry }, ...plugins) =>
  build({
    ...common,
    entryPoints: [entry],
    ...(isCommonJs
      ? { format: 'cjs', outExtension: { '.js': '.cjs' }, minify: true }
      : portable.has(entry.out)
        ? { format: 'esm', platform: 'neutral' }
        : { format: 'esm', banner: { js: requireForEsm } }),
    plugins: portable.has(entry.out)
      ? []
      : isCommonJs
        ? [requireAsItIs, peelingApart]
        : [requireNodeModules, startSchemaLater, ...plugins],
  });

const results = await Promise.all([
  ...moduleEntries.map((entry) => library(entry, lockLibraryApart)),
  library({ in: lockLibrary, out: lockLibrary }),
  library({ in: 'src/read/peeling.ts', out: 'read-peeling', isCommonJs: true }),
  build({
    ...common,
    entryPoints: [{ in: cliEntry, out: 'cli' }],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: { js: '#!/usr/bin/env node' },
    define: { 'import.meta.dirname': '__dirname' },
  }),
]).catch((error) => fail(error.message));

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
  for (const { metafile } of builds) {
    for (const output of Object.values(metafile.outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
        const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
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
