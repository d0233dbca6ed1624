// Light or dark: as the system has it, unless the user chose.

const KEY = 'reftable-inspector-theme';

export function chooseTheme(select: HTMLSelectElement, changed: () => void): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    document.documentElement.dataset.theme = select.value || (system.matches ? 'dark' : 'light');
    changed();
  };
  select.value = remembered();
  apply();
  system.addEventListener('change', apply);
  select.addEventListener('change', () => {
    remember(select.value);
    apply();
  });
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
