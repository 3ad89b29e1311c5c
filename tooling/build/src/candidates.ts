import { Scanner } from "@tailwindcss/oxide";
import type { SourceFile } from "./sources.ts";

/**
 * Everything in the sources that could be a Tailwind class. The daemon compiles one sheet from the candidates of all
 * plugins; a sheet of each plugin's own would override the shell's utilities.
 */
export function findCandidates(sources: readonly SourceFile[]): string[] {
  const scanner = new Scanner({ sources: [] });
  return scanner
    .scanFiles(
      sources.map(({ content, extension }) => ({ content, extension })),
    )
    .sort();
}
