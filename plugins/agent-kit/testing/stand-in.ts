/** Command that starts a TypeScript program as a stand-in for a configured CLI. */
export function toStandIn(file: string, env: Record<string, string> = {}) {
  // Lets it import the shared stand-in parts from their source.
  const args = ["--conditions=gantry-source", file];
  return { command: process.execPath, args, env };
}
