/** A certificate and its key, as PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const NAMES = ["localhost", "gantry.localhost", "127.0.0.1", "::1"];
const VALIDITY_DAYS = 365;

/**
 * Creates a self-signed certificate for this machine's own names.
 *
 * listhen makes it. It exports nothing for certificates alone, so it listens on a free port of the loopback interface
 * for a moment. It is loaded here only, since few daemons serve HTTPS with a certificate of their own.
 */
export async function makeCertificate(): Promise<Certificate> {
  const { listen } = await import("listhen");
  const listener = await listen((_request, response) => void response.end(), {
    isProd: true,
    isTest: false,
    public: false,
    hostname: "127.0.0.1",
    port: { random: true, host: "127.0.0.1" },
    showURL: false,
    autoClose: false,
    https: { validityDays: VALIDITY_DAYS, domains: NAMES },
  });
  const { https } = listener;
  await listener.close();
  if (!https) throw new Error("listhen made no certificate.");
  return { key: String(https.key), cert: String(https.cert) };
}
