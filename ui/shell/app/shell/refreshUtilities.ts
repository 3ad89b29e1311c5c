let version = 0;

/** Fetches the sheet of utility classes anew, and drops the old one when the new one is there. */
export function refreshUtilities(): void {
  const old = document.head.querySelectorAll<HTMLLinkElement>(
    'link[href^="/ui/utilities.css"]',
  );
  version += 1;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = `/ui/utilities.css?set=${version}`;
  link.onload = () => old.forEach((element) => element.remove());
  link.onerror = () => link.remove();
  (old.item(old.length - 1) ?? document.head.lastChild)?.after(link);
}
