import { errors } from "@gantry/system/errors";

/** Sockets that one session may have open, and all together. */
const MAX_OF_SESSION = 64;
const MAX_SOCKETS = 256;

/** Counts sockets, from their handshake on. */
export interface SocketQuota {
  /**
   * Takes a place. The returned function frees it; a second call has no effect. Callers without a session share one count.
   *
   * @throws `SOCKET_TOO_MANY`
   */
  take(sessionId: string | undefined): () => void;
  /** Places that are taken. */
  readonly size: number;
}

/** Makes an empty count. */
export function createSocketQuota(): SocketQuota {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    get size() {
      return total;
    },
    take(sessionId = "") {
      const own = counts.get(sessionId) ?? 0;
      if (own >= MAX_OF_SESSION || total >= MAX_SOCKETS)
        throw errors.SOCKET_TOO_MANY({ most: MAX_OF_SESSION });
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
