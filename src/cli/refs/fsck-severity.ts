// How grave a fault is: Git's `fsck.<msg-id>` settings, as far as they are about refs.

import type { FileFault } from '../../files/verification/report.ts';
import type { Config } from '../../repository/config.ts';
import { die } from '../failure.ts';

export type Severity = 'error' | 'warn' | 'ignore';

/** The faults of refs and their files, and that of a stack. */
export type Fault = FileFault | 'badReftableTableName';

const DEFAULTS: Readonly<Record<Fault, Severity>> = {
  badHeadTarget: 'error',
  badPackedRefEntry: 'error',
  badPackedRefHeader: 'error',
  badRefContent: 'error',
  badRefFiletype: 'error',
  badRefName: 'error',
  badRefOid: 'error',
  badReferentName: 'error',
  badReftableTableName: 'warn',
  packedRefEntryNotTerminated: 'error',
  packedRefUnsorted: 'error',
  // Git has a grade below that, which `--strict` does not raise.
  emptyPackedRefsFile: 'warn',
  refMissingNewline: 'warn',
  symlinkRef: 'warn',
  symrefTargetIsNotARef: 'warn',
  trailingRefContent: 'warn',
};

/** What Git tells of objects and of other ref formats; settings about these are checked and have no effect. */
const OTHERS = `
  badheadercontinuation baddate baddateoverflow bademail badgpgsig badname badobjectsha1
  badpackedrefentry badpackedrefheader badparentsha1 badrefcontent badreffiletype badrefname
  badtimezone badtree badtreesha1 badtype duplicateentries gitattributesblob gitattributeslarge
  gitattributeslinelength gitattributesmissing gitmodulesblob gitmoduleslarge gitmodulesmissing
  gitmodulesname gitmodulespath gitmodulessymlink gitmodulesupdate gitmodulesurl missingauthor
  missingcommitter missingemail missingnamebeforeemail missingobject missingspacebeforedate
  missingspacebeforeemail missingtag missingtagentry missingtree missingtype missingtypeentry
  multipleauthors packedrefentrynotterminated packedrefunsorted treenotsorted unknowntype
  zeropaddeddate emptyname fullpathname hasdot hasdotdot hasdotgit largepathname nullsha1 nulincommit
  zeropaddedfilemode badfilemode badtagname emptypackedrefsfile gitattributessymlink gitignoresymlink
  gitmodulesparse mailmapsymlink missingtaggerentry refmissingnewline symlinkref trailingrefcontent
  extraheaderentry`;

/** Of these Git lets nobody make less than an error. */
const FATAL: ReadonlySet<string> = new Set(['nulinheader', 'unterminatedheader']);

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(DEFAULTS).map((fault) => fault.toLowerCase()),
  ...OTHERS.trim().split(/\s+/),
  ...FATAL,
]);

/** How grave each fault is by the configuration; warnings count as errors if `strict`. Dies of bad settings. */
export function faultSeverities(config: Config, strict: boolean): (fault: Fault) => Severity {
  const configured = new Map<string, Severity>();
  for (const { key } of config.entries) {
    if (!key.startsWith('fsck.') || key === 'fsck.skiplist') continue;
    const id = key.slice('fsck.'.length);
    const value = config.get(key)!;
    if (!KNOWN.has(id)) die(`Unhandled message id: ${id}`);
    const severity = parseSeverity(id, value);
    if (severity !== 'error' && FATAL.has(id)) die(`Cannot demote ${id} to ${value}`);
    configured.set(id, severity);
  }
  return (fault) => configured.get(fault.toLowerCase()) ?? standard(fault, strict);
}

function standard(fault: Fault, strict: boolean): Severity {
  return strict && fault === 'badReftableTableName' ? 'error' : DEFAULTS[fault];
}

function parseSeverity(id: string, value: string): Severity {
  // Of paths, the setting may also say how long they may be.
  const name = id === 'largepathname' ? value.replace(/:.*/s, '') : value;
  if (name === 'error' || name === 'warn' || name === 'ignore') return name;
  return die(`Unknown fsck message type: '${name}'`);
}
