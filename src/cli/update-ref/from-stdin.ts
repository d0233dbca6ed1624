// `update-ref --stdin`: commands as they come in, one transaction or several that the caller begins and
// ends.

import { RefError } from '../../errors.ts';
import { zeroOid } from '../../format/object-format.ts';
import type {
  PreparedTransaction,
  RefStore,
  RefUpdate,
  TransactionOptions,
} from '../../refs/ref-store.ts';
import { checkObjects } from '../../refs/transaction/object-checks.ts';
import { rejectedUpdate } from '../../refs/transaction/refusal.ts';
import { UpdateBatch } from '../../refs/transaction/update-batch.ts';
import { die, Failure, refusalOf } from '../failure.ts';
import { stdout, warn } from '../output.ts';
import { resolveOid } from '../revisions/resolve-oid.ts';
import { RecordReader } from '../stdin.ts';
import { CommandReader, isSpace, untilNul } from './command-reader.ts';
import { UPDATE_COMMANDS, type UpdateCommand } from './commands.ts';
import { addPlainCommands } from './plain-commands.ts';
import { printRejected } from './rejections.ts';

/** So many updates have room without a move: who writes to standard input has many as a rule. */
const CAPACITY = 1 << 10;

export interface StdinOptions {
  nulTerminated: boolean;
  /** Whether symrefs are followed, where `option no-deref` does not say otherwise. */
  deref: boolean;
  transaction: TransactionOptions;
}

/**
 * `implicit`: nothing was said, the end of the input commits. `started` and `prepared`: the end of
 * the input drops what was not committed. `closed`: the last transaction is over.
 */
type State = 'implicit' | 'started' | 'prepared' | 'closed';

/** Carries out the commands on standard input. Throws `Failure` in Git's words, and `RefError`. */
export async function updateFromStdin(store: RefStore, options: StdinOptions): Promise<void> {
  await new Session(store, options).run();
}

class Session {
  private readonly store: RefStore;
  private readonly options: StdinOptions;
  private readonly input: RecordReader;
  private readonly reader: CommandReader;
  private readonly zero: string;
  private state: State = 'implicit';
  private updates: UpdateBatch;
  /** What `prepare` has made of the updates. */
  private prepared: PreparedTransaction | undefined;
  /** How the next command treats symrefs. */
  private deref: boolean;

  constructor(store: RefStore, options: StdinOptions) {
    this.store = store;
    this.options = options;
    this.input = new RecordReader(options.nulTerminated ? 0x00 : 0x0a);
    this.updates = new UpdateBatch(store.objectFormat, CAPACITY);
    this.zero = zeroOid(store.objectFormat);
    this.deref = options.deref;
    const { nulTerminated } = options;
    const { objectFormat } = store;
    this.reader = new CommandReader({
      nulTerminated,
      resolveOid: this.resolve,
      objectFormat,
      warn,
    });
  }

  async run(): Promise<void> {
    try {
      await this.carryOut();
    } catch (error) {
      if (error instanceof Failure) await this.checkObjects(this.updates);
      throw error;
    }
  }

  private async carryOut(): Promise<void> {
    for (;;) {
      this.skimPlainCommands();
      // While the lock is held a signal has to be heard: who ends the process wants the lock to go, too.
      const holdsLock = this.prepared !== undefined;
      const record = holdsLock ? await this.input.nextLater() : this.input.next();
      if (record === undefined) break;
      const name = this.commandName(record);
      // An update needs no waiting, and 50,000 promises would cost more than what they wait for.
      const command = UPDATE_COMMANDS.get(name);
      if (command !== undefined) this.addUpdate(command, name, record);
      else await this.control(name, record);
    }
    if (this.state === 'implicit') await this.commit('');
    else if (this.state !== 'closed') await this.abort();
  }

  /** What a record begins with, up to a space or its terminator. */
  private commandName(record: string): string {
    const terminator = this.options.nulTerminated ? '\0' : '\n';
    if (record.startsWith(terminator)) die('empty command in input');
    if (isSpace(record.charCodeAt(0))) die(`whitespace before command: ${untilNul(record)}`);
    const space = record.indexOf(' ');
    if (space !== -1) return record.slice(0, space);
    return record.endsWith(terminator) ? record.slice(0, -1) : record;
  }

  /** Takes what commands there are, as they come in, that need no closer look. */
  private skimPlainCommands(): void {
    const { nulTerminated, deref } = this.options;
    // An option is for the next command alone, which is then not one of many.
    if (nulTerminated || this.deref !== deref) return;
    if (this.state !== 'implicit' && this.state !== 'started') return;
    let usedAll = true;
    while (usedAll) {
      const more = this.input.skim((bytes, start, end) => {
        const next = addPlainCommands(this.updates, bytes, start, end, deref);
        usedAll = next === end;
        return next;
      });
      if (!more) return;
    }
  }

  private addUpdate({ parts, parse }: UpdateCommand, name: string, record: string): void {
    if (record.charCodeAt(name.length) !== 0x20) unknownCommand(record);
    this.enter('implicit');
    let input = record;
    for (let i = 1; this.options.nulTerminated && i < parts; i++) {
      input += this.input.next() ?? '';
    }
    const { reader, resolve: resolveOid, zero, deref } = this;
    reader.open(input, name.length + 1);
    this.add(parse({ reader, resolveOid, zero, deref }));
    this.deref = this.options.deref;
  }

  private async control(name: string, record: string): Promise<void> {
    const rest = record.slice(name.length);
    if (name === 'option' && rest.startsWith(' ')) {
      this.enter('implicit');
      if (!this.isLast(rest, ' no-deref')) die(`option unknown: ${untilNul(rest.slice(1))}`);
      this.deref = false;
      return;
    }
    if (!this.isLast(rest, '')) unknownCommand(record);
    switch (name) {
      case 'start':
        this.enter('started');
        break;
      case 'prepare':
        this.enter('prepared');
        await this.prepare();
        break;
      case 'commit':
        this.enter('closed');
        await this.commit('commit: ');
        break;
      case 'abort':
        this.enter('closed');
        await this.abort();
        break;
      default:
        unknownCommand(record);
    }
    stdout.write(`${name}: ok\n`);
    stdout.flush();
  }

  /** Whether `rest` is `text` and a terminator. With -z, the end of the input is one too. */
  private isLast(rest: string, text: string): boolean {
    return this.options.nulTerminated
      ? rest === text || rest === `${text}\0`
      : rest === `${text}\n`;
  }

  /** Goes on to the state that a command leads to, if that is allowed where the session stands. */
  private enter(next: State): void {
    const { state } = this;
    if (state === 'prepared' && next !== 'closed') die('prepared transactions can only be closed');
    if (state === 'closed' && next !== 'started') die('transaction is closed');
    if (state === 'started' && next === 'started') die('cannot restart ongoing transaction');
    // An update inside a transaction that was started leaves it started.
    if (next !== 'implicit') this.state = next;
  }

  private async prepare(): Promise<void> {
    this.prepared = await dying(
      'prepare: ',
      this.store.prepare(this.takeUpdates(), this.options.transaction),
    );
  }

  private async commit(prefix: string): Promise<void> {
    const { prepared, store } = this;
    this.prepared = undefined;
    const committed =
      prepared?.commit() ?? store.transaction(this.takeUpdates(), this.options.transaction);
    const { rejected } = await dying(prefix, committed);
    printRejected(rejected, this.zero);
  }

  private async abort(): Promise<void> {
    const { prepared } = this;
    this.prepared = undefined;
    const updates = this.takeUpdates();
    await this.checkObjects(updates);
    await (prepared?.abort() ?? this.store.discard(updates));
  }

  /**
   * Looks up what updates that come to nothing point refs at. Git does so as soon as it has read each, and tells
   * what is wrong with that before it comes to what is wrong behind it.
   */
  private async checkObjects(updates: UpdateBatch): Promise<void> {
    const { objects } = this.store;
    if (objects === undefined) return;
    const { batchUpdates = false } = this.options.transaction;
    await dying('', checkObjects(updates, objects, batchUpdates));
    const rejected = Array.from(updates.refused, ([entry, refusal]) =>
      rejectedUpdate(updates, entry, refusal),
    );
    printRejected(rejected, this.zero);
  }

  private takeUpdates(): UpdateBatch {
    const { updates } = this;
    this.updates = new UpdateBatch(this.store.objectFormat, CAPACITY);
    return updates;
  }

  private add(update: RefUpdate): void {
    try {
      this.updates.add(update);
    } catch (error) {
      if (error instanceof RefError) die(error.message);
      throw error;
    }
  }

  private readonly resolve = (text: string): string | undefined => resolveOid(this.store, text);
}

/** What comes of `work`; ends the command with the library's message where it refuses. */
async function dying<T>(prefix: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // Git looks at an object as soon as its command is read.
    const isEarly = error instanceof RefError && error.code === 'INVALID_NEW_VALUE';
    die((isEarly ? '' : prefix) + refusalOf(error));
  }
}

function unknownCommand(record: string): never {
  die(`unknown command: ${untilNul(record)}`);
}
