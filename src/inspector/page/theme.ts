// Light or dark: as the system has it, unless the user chose.

const KEY = 'reftable-inspector-theme';

export function chooseTheme(select: HTMLSelectElement, changed: () => void): void {
  const apply = (theme: string): void => {
    if (theme === '') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    changed();
  };
  select.value = remembered();
  apply(select.value);
  select.addEventListener('change', () => {
    remember(select.value);
    apply(select.value);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
}

/** A page that was opened from a file may have nowhere to remember it. */
function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this visit.
  }
}
