import { joinSocket } from "./join-socket.ts";

try {
  await joinSocket({
    env: process.env,
    input: process.stdin,
    output: process.stdout,
  });
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
