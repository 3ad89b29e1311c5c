/** A marker of a scripted prompt: `[[name:argument]]`. */
export interface Marker {
  name: string;
  argument: string;
}

/** Makes a line longer than any client accepts. */
export const HUGE = "x".repeat(3 * 1024 * 1024);

/** The markers of a prompt, left to right. */
export function readMarkers(prompt: string): Marker[] {
  return [
    ...prompt.matchAll(/\[\[([a-z-]+)(?::((?:(?!\]\])[\s\S])*))?\]\]/g),
  ].map(([, name = "", argument = ""]) => ({ name, argument }));
}
