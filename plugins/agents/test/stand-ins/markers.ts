/** A marker of a scripted prompt: `[[name:argument]]`. */
export interface Marker {
  name: string;
  argument: string;
}

/** The markers of a prompt, left to right. */
export function readMarkers(prompt: string): Marker[] {
  return [
    ...prompt.matchAll(/\[\[([a-z-]+)(?::((?:(?!\]\])[\s\S])*))?\]\]/g),
  ].map(([, name = "", argument = ""]) => ({ name, argument }));
}
