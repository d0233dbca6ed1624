// The time that only goes forward, for deadlines and for how long something took.

/** In ms, since a moment of no meaning. Not `performance.now()`: a program that names that loads what costs 1.5 ms. */
export function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
