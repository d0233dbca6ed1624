// The words of dates: months, weekdays and time zones, which may be cut short, and in any case.

export const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

export const WEEKDAYS = 'sundays mondays tuesdays wednesdays thursdays fridays saturdays'.split(
  ' ',
);

/** Hours east of UTC, in the order in which Git looks; those in daylight saving time have that in them. */
const ZONES: readonly (readonly [name: string, hours: number])[] = Object.entries({
  idlw: -12,
  nt: -11,
  cat: -10,
  hst: -10,
  hdt: -9,
  yst: -9,
  ydt: -8,
  pst: -8,
  pdt: -7,
  mst: -7,
  mdt: -6,
  cst: -6,
  cdt: -5,
  est: -5,
  edt: -4,
  ast: -3,
  adt: -2,
  wat: -1,
  gmt: 0,
  utc: 0,
  z: 0,
  wet: 0,
  bst: 1,
  cet: 1,
  met: 1,
  mewt: 1,
  mest: 2,
  cest: 2,
  mesz: 2,
  fwt: 1,
  fst: 2,
  eet: 2,
  eest: 3,
  wast: 7,
  wadt: 8,
  cct: 8,
  jst: 9,
  east: 10,
  eadt: 11,
  gst: 10,
  nzt: 12,
  nzst: 12,
  nzdt: 13,
  idle: 12,
});

const SHORTEST = 3;

/** The letters and digits that stand at `at`, in lower case. */
export function wordAt(text: string, at: number): string {
  const pattern = /[a-z0-9]*/iy;
  pattern.lastIndex = at;
  return pattern.exec(text)![0].toLowerCase();
}

/** Where the letters end that begin at `at`. */
export function lettersEnd(text: string, at: number): number {
  const pattern = /[a-z]*/iy;
  pattern.lastIndex = at;
  return at + pattern.exec(text)![0].length;
}

/** Which of the names is meant by its first three letters or more; -1 for none. */
export function indexOfName(names: readonly string[], word: string): number {
  if (word.length < SHORTEST) return -1;
  return names.findIndex((name) => name.startsWith(word));
}

/** Minutes east of UTC of a zone's name, which may be cut short to three letters; `undefined` for none. */
export function zoneOffset(word: string): number | undefined {
  const zone = ZONES.find(
    ([name]) => name === word || (word.length >= SHORTEST && name.startsWith(word)),
  );
  return zone && zone[1] * 60;
}
