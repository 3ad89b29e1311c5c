let version = 0;

/**
 * Fetches the sheet of utility classes again, and drops the old one when the new one is there. Resolves then, or when it
 * could not be had: the old one stays.
 */
export function refreshUtilities(): Promise<void> {
  const old = document.head.querySelectorAll<HTMLLinkElement>(
    'link[href^="/ui/utilities.css"]',
  );
  version += 1;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = `/ui/utilities.css?set=${version}`;
  return new Promise((resolve) => {
    link.onload = () => {
      old.forEach((element) => element.remove());
      resolve();
    };
    link.onerror = () => {
      link.remove();
      resolve();
    };
    (old.item(old.length - 1) ?? document.head.lastChild)?.after(link);
  });
}
