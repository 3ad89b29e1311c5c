const steps: Readonly<Record<string, 1 | -1>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
};

/** Moves the focus among the choices of a group with the arrow keys. What has the focus is chosen with Enter or Space. */
export function moveAmongRadios(event: KeyboardEvent): void {
  const step = steps[event.key];
  const group = event.currentTarget;
  if (!step || !(group instanceof HTMLElement)) return;
  const radios = [...group.querySelectorAll<HTMLElement>('[role="radio"]')];
  const at = radios.findIndex((radio) => radio === document.activeElement);
  event.preventDefault();
  radios.at((at + step) % radios.length)?.focus();
}
