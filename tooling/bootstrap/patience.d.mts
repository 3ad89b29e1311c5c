export function readPatience(env?: NodeJS.ProcessEnv): number;
