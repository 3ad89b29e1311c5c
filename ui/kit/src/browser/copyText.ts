/**
 * Puts a text on the clipboard. Call it in response to a click or a key. Over plain HTTP on another address browsers have
 * no clipboard API; then the text is copied out of a field, as before there was one.
 *
 * Rejects if the browser refuses.
 */
export async function copyText(text: string): Promise<void> {
  // In a page without HTTPS it is missing, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) return clipboard.writeText(text);
  const focused =
    document.activeElement instanceof HTMLElement
      ? document.activeElement
      : undefined;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.setAttribute("aria-hidden", "true");
  field.style.cssText = "position:fixed;inset:0;opacity:0;pointer-events:none";
  // A dialog takes the focus back from what is outside of it.
  const place = focused?.closest<HTMLElement>("[role=dialog]") ?? document.body;
  place.append(field);
  try {
    field.select();
    if (!document.execCommand("copy"))
      throw new Error("The browser does not let this page copy.");
  } finally {
    field.remove();
    focused?.focus({ preventScroll: true });
  }
}
