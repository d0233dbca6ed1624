// The text of a repository's `config` with another ref storage: two settings change, all else stays as it stands.

/** Extensions that need version 1 whatever the ref storage. */
const V1_EXTENSION =
  /^\s*(?:compatobjectformat|noop-v1|objectformat|relativeworktrees|submodulepathconfig)\s*=/im;

/** As Git writes it: version 0 where no extension needs more. */
export function withRefStorage(text: string, to: 'files' | 'reftable'): string {
  const isReftable = to === 'reftable';
  const edited = withSetting(text, 'extensions', 'refstorage', isReftable ? 'reftable' : undefined);
  const version = isReftable || V1_EXTENSION.test(edited) ? '1' : '0';
  return withSetting(edited, 'core', 'repositoryformatversion', version);
}

/** Sets a key of a section without a subsection, once; or takes it out, and the section if nothing else is in it. */
function withSetting(
  text: string,
  section: string,
  key: string,
  value: string | undefined,
): string {
  const header = new RegExp(`^\\s*\\[\\s*${section}\\s*\\]\\s*(?:[#;].*)?$`, 'i');
  const setting = new RegExp(`^\\s*${key}\\s*(?:=.*)?$`, 'i');
  // A key may stand behind the header of its section.
  const lines = text.replace(/^(\s*\[[^\]\n]*\])[ \t]*(?=[^\s#;])/gm, '$1\n\t').split('\n');
  const kept: string[] = [];
  let isInside = false;
  let headerAt = -1;
  for (const line of lines) {
    const isHeader = /^\s*\[/.test(line);
    if (isHeader) isInside = header.test(line);
    if (isInside && !isHeader && setting.test(line)) continue;
    if (isHeader && isInside) headerAt = kept.length;
    kept.push(line);
  }
  if (value !== undefined) {
    const line = `\t${key} = ${value}`;
    if (headerAt >= 0) kept.splice(headerAt + 1, 0, line);
    else kept.unshift(`[${section}]`, line);
  } else if (headerAt >= 0 && /^\s*(?:\[|$)/.test(kept[headerAt + 1] ?? '')) {
    kept.splice(headerAt, 1);
  }
  return kept.join('\n');
}
