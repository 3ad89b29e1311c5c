/** Reports the start of each tool server of a thread, and its outcome a moment later. */
export function startTools(
  config: unknown,
  notify: (method: string, params: object) => void,
): void {
  const { mcp_servers: servers = {} } = (config ?? {}) as {
    mcp_servers?: Record<string, { enabled: boolean }>;
  };
  const names = Object.keys(servers).filter((name) => servers[name]?.enabled);
  const method = "mcpServer/startupStatus/updated";
  for (const status of ["starting", "ready"])
    setImmediate(() => {
      for (const name of names) notify(method, { name, status });
    });
}
