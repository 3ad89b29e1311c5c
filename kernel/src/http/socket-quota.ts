import { errors } from "../errors.ts";

/** Sockets that one session may have open, and all together (security M10). */
const MOST_OF_SESSION = 64;
const MOST = 256;

/** Counts open sockets. */
export interface SocketQuota {
  /**
   * Takes a place, from the handshake on; gives what frees it. Whoever has no session shares one count.
   *
   * @throws `SOCKET_TOO_MANY`
   */
  take(sessionId: string | undefined): () => void;
}

/** Makes an empty count. */
export function createSocketQuota(): SocketQuota {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    take(sessionId = "") {
      const own = counts.get(sessionId) ?? 0;
      if (own >= MOST_OF_SESSION || total >= MOST)
        throw errors.SOCKET_TOO_MANY({ most: MOST_OF_SESSION });
      counts.set(sessionId, own + 1);
      total++;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        total--;
        const left = (counts.get(sessionId) ?? 1) - 1;
        if (left > 0) counts.set(sessionId, left);
        else counts.delete(sessionId);
      };
    },
  };
}
