// Making elements, and showing numbers.

type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with its attributes and children; texts are texts, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false)
      made.setAttribute(name, value === true ? '' : `${value}`);
  }
  made.append(...children);
  return made;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export const count = (value: number): string => value.toLocaleString('en');

/** `1,234 refs`, `1 ref`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Bytes, as people read them. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${count(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function updates(min: number, max: number): string {
  return min === max ? count(min) : `${count(min)}–${count(max)}`;
}
