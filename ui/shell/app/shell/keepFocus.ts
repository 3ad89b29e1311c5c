import { onScopeDispose } from "vue";

/**
 * Gives the focus to the page when what had it went away, as an answered question does, so that the next Tab continues from
 * there and not from the top of the window. What is only switched off while it works gets the focus back.
 */
export function keepFocus(): void {
  let had: Element | undefined;
  const enabling = new MutationObserver(() => {
    if (!isLost() || !had || had.matches(":disabled")) return;
    enabling.disconnect();
    if (had instanceof HTMLElement) had.focus({ preventScroll: true });
  });

  function check(): void {
    if (!had || !isLost()) return;
    if (had.isConnected && had.matches(":disabled")) {
      enabling.observe(had, {
        attributes: true,
        attributeFilter: ["disabled"],
      });
    } else if (!had.checkVisibility()) {
      focusPage();
    }
  }

  const follow = ({ target }: FocusEvent) => {
    enabling.disconnect();
    if (target instanceof Element) had = target;
  };
  // A dialog that closes gives the focus back a moment later.
  const leave = () => void setTimeout(check);
  // Not every browser reports a focus that went away with its element.
  const press = ({ key }: KeyboardEvent) => {
    if (key === "Tab") check();
  };
  document.addEventListener("focusin", follow);
  document.addEventListener("focusout", leave);
  document.addEventListener("keydown", press, true);
  onScopeDispose(() => {
    enabling.disconnect();
    document.removeEventListener("focusin", follow);
    document.removeEventListener("focusout", leave);
    document.removeEventListener("keydown", press, true);
  });
}

/** Focuses what scrolls on the page, so that the keys for it work too. */
export function focusPage(): void {
  const main = document.getElementById("main");
  const page = main?.querySelector<HTMLElement>("[data-page-scroll]") ?? main;
  page?.focus({ preventScroll: true });
}

/** An open dialog manages its focus itself. */
function isLost(): boolean {
  return (
    document.activeElement === document.body &&
    !document.querySelector('[role="dialog"][data-state="open"]')
  );
}
