/**
 * A server on 127.0.0.1 whose certificate nobody trusts.
 * @module
 */

/** Made for tests by `openssl req -x509`; it protects nothing. */
export const KEY: string = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYaW7RR3ZPBFuvjON
nJWnUl4Az8FMtMiL74VKNh3QQxuhRANCAAQ6PyAN0pDRw4tS6NxHDBd5WmLtZGl3
71tkMReMFhdt1ExBv7kz8Feh5Afa24XeqwhQGYOb4l/D23jcb7d+IBnj
-----END PRIVATE KEY-----
`;
/** Stands for `localhost` and 127.0.0.1. */
export const CERTIFICATE: string = `-----BEGIN CERTIFICATE-----
MIIBmDCCAT6gAwIBAgIUcsVYmaZAJL/e7pNJWKO+wQkukU4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDAzNTMwNFoYDzIxMjYxMTA2
MDM1MzA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ6PyAN0pDRw4tS6NxHDBd5WmLtZGl371tkMReMFhdt1ExBv7kz8Feh
5Afa24XeqwhQGYOb4l/D23jcb7d+IBnjo2wwajAdBgNVHQ4EFgQUpgInwhnX1cpt
X3rcPNsos0i+ysswHwYDVR0jBBgwFoAUpgInwhnX1cptX3rcPNsos0i+ysswGgYD
VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0E
AwIDSAAwRQIhAO9JF0GvFIkNChSe+g8YiNFbUrgpE4XITs1YJgvoiF1PAiBnjG9t
e5gEQxqKVxxVpWzGynD/MocZ0KhTQj6e9s4P0Q==
-----END CERTIFICATE-----
`;

/** Serves "ok" by TLS; dispose of it to stop it. */
export function startTlsServer(): AsyncDisposable & { readonly port: number } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, key: KEY, cert: CERTIFICATE, onListen: () => {} },
    () => new Response("ok"),
  );
  return {
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
