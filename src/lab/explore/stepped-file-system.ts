// The file system of a stepped process: each call is a step of it.

import type { FileSystem, OpenDirectory, WritableFile } from '../../storage/file-system.ts';
import type { Step } from './stepped-process.ts';

/**
 * `fs`, whose paths begin with `mount` here; what is asked for when the process has stopped goes to `nowhere`. Others
 * notice the calls that name a file: what is written to one that only its writer knows, they do not.
 */
export function steppedFileSystem(
  fs: FileSystem,
  nowhere: FileSystem,
  mount: string,
  step: Step,
): FileSystem {
  const within = (path: string) => path.slice(mount.length);
  const call = <T>(name: string, isSeen: boolean, make: (target: FileSystem) => T): T =>
    step(
      name,
      isSeen,
      () => make(fs),
      () => make(nowhere),
    );
  const handle = async <T extends WritableFile | OpenDirectory>(
    name: string,
    opening: Promise<T>,
  ) => {
    const file = await opening;
    const work = (method: string, make: () => Promise<void>) =>
      step(`${name}.${method}`, false, make, async () => {});
    return {
      ...file,
      write: (chunks: readonly Uint8Array[]) =>
        work('write', () => (file as WritableFile).write(chunks)),
      sync: () => work('sync', () => file.sync()),
      close: () => work('close', () => file.close()),
    };
  };
  return {
    open: (path) => call('open', true, (target) => target.open(within(path))),
    read(descriptor, into, position) {
      const bytes = call('read', false, (target) => {
        const read = new Uint8Array(into.length);
        return read.subarray(0, target.read(descriptor, read, position));
      });
      into.set(bytes);
      return bytes.length;
    },
    close: (descriptor) => call('close', false, (target) => target.close(descriptor)),
    closeLater: (descriptor) => call('close', false, (target) => target.close(descriptor)),
    stat: (path) => call('stat', true, (target) => target.stat(within(path))),
    statOpen: (descriptor) => call('statOpen', false, (target) => target.statOpen(descriptor)),
    list: (path) => call('list', true, (target) => target.list(within(path))),
    readLink: (path) => call('readLink', true, (target) => target.readLink(within(path))),
    create: (path, mode) =>
      handle(
        'file',
        call('create', true, (target) => target.create(within(path), mode)),
      ),
    createEmpty: (path, mode) =>
      call('createEmpty', true, (target) => target.createEmpty(within(path), mode)),
    append: (descriptor, bytes) =>
      call('append', false, (target) => target.append(descriptor, bytes)),
    link: (existing, path) =>
      call('link', true, (target) => target.link(within(existing), within(path))),
    setMode: (path, mode) => call('setMode', false, (target) => target.setMode(within(path), mode)),
    rename: (from, to) => call('rename', true, (target) => target.rename(within(from), within(to))),
    unlink: (path) => call('unlink', true, (target) => target.unlink(within(path))),
    openDirectory: (path) =>
      handle(
        'folder',
        call('openDirectory', false, (target) => target.openDirectory(within(path))),
      ),
    watch: () => () => {},
  };
}
