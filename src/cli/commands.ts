// The commands by name. Each is loaded only when it is called for.

/** What a command's file exports. */
export interface Command {
  /** How to call it, from its usage on. */
  readonly help: string;
  /**
   * Carries it out and gives the exit code. Throws `Failure` and `UsageError` for what goes wrong, and
   * what the library throws.
   */
  run(args: readonly string[]): number | Promise<number>;
}

export interface CommandEntry {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Whether there has to be a repository, which as in Git is looked for before the options are. */
  readonly needsRepository?: true;
  load(): Promise<Command>;
}

export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  ['init', { summary: 'make a repository', load: () => import('./commands/init.ts') }],
  [
    'show-ref',
    {
      summary: 'list or check refs',
      needsRepository: true,
      load: () => import('./commands/show-ref.ts'),
    },
  ],
  [
    'for-each-ref',
    {
      summary: 'list refs in a format',
      needsRepository: true,
      load: () => import('./commands/for-each-ref.ts'),
    },
  ],
  [
    'update-ref',
    {
      summary: 'change refs',
      needsRepository: true,
      load: () => import('./commands/update-ref.ts'),
    },
  ],
  [
    'symbolic-ref',
    {
      summary: 'show or change refs that name others, such as HEAD',
      needsRepository: true,
      load: () => import('./commands/symbolic-ref.ts'),
    },
  ],
  [
    'refs',
    {
      summary: 'list, check, change and optimize refs',
      needsRepository: true,
      load: () => import('./commands/refs.ts'),
    },
  ],
  [
    'reflog',
    {
      summary: 'show what a ref was before',
      needsRepository: true,
      load: () => import('./commands/reflog.ts'),
    },
  ],
  [
    'pack-refs',
    {
      summary: 'merge tables and remove leftovers',
      needsRepository: true,
      load: () => import('./commands/pack-refs.ts'),
    },
  ],
  [
    'check-ref-format',
    {
      summary: 'tell whether a name may be that of a ref',
      load: () => import('./commands/check-ref-format.ts'),
    },
  ],
  [
    'upload-pack',
    {
      summary: 'tell a client that fetches of the refs',
      load: () => import('./commands/upload-pack.ts'),
    },
  ],
  [
    'serve',
    {
      summary: 'serve repositories to clients on this machine',
      load: () => import('./commands/serve.ts'),
    },
  ],
  [
    'dump',
    {
      summary: 'show the inside of a table, byte by byte',
      load: () => import('./commands/dump.ts'),
    },
  ],
  [
    'stack',
    { summary: 'draw the tables of a repository', load: () => import('./commands/stack.ts') },
  ],
  [
    'inspect',
    { summary: 'show the tables in a page', load: () => import('./commands/inspect.ts') },
  ],
  [
    'doctor',
    {
      summary: 'tell what is wrong with a repository, and mend it',
      load: () => import('./commands/doctor.ts'),
    },
  ],
  [
    'explore',
    {
      summary: 'tell what crashes leave, state by state',
      load: () => import('./commands/explore.ts'),
    },
  ],
  [
    'demo',
    {
      summary: 'write to a repository concurrently and show it',
      load: () => import('./commands/demo.ts'),
    },
  ],
]);
