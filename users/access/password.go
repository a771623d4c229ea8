package access

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of one hash: 19 MiB where Options say nothing else, two passes, one lane. It is the smallest setting that OWASP's password storage cheat sheet
// recommends for argon2id. A small box takes it in about 50 ms.
const (
	hashMemoryKiB = 19 * 1024
	hashPasses    = 2
	hashLanes     = 1
	hashLength    = 32
	saltLength    = 16
)

// hashPassword returns the PHC string of argon2id over the password with a new random salt; memory is in KiB.
func hashPassword(password string, memory uint32) string {
	salt := make([]byte, saltLength)
	rand.Read(salt) // crypto/rand.Read never returns an error
	return phc(memory, salt, argon2.IDKey([]byte(password), salt, hashPasses, memory, hashLanes, hashLength))
}

// decoyHash returns a hash that takes as long to verify as any other of that memory and that no known password has. It costs nothing
// to make, which every start of the service would wait for.
func decoyHash(memory uint32) string {
	salt, sum := make([]byte, saltLength), make([]byte, hashLength)
	rand.Read(salt)
	rand.Read(sum)
	return phc(memory, salt, sum)
}

func phc(memory uint32, salt, sum []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, hashPasses, hashLanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(sum))
}

// verifyPassword reports in constant time whether the password has that hash. It reads the costs from the hash, so hashes of older
// settings still work. It refuses costs over 1 GiB or 64 passes as damage.
func verifyPassword(hash, password string) (bool, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("password hash: not a PHC string of argon2id")
	}
	var version int
	var memory, passes uint32
	var lanes uint8
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, fmt.Errorf("password hash: version %q is not %d", parts[2], argon2.Version)
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return false, fmt.Errorf("password hash: costs %q: %w", parts[3], err)
	}
	if memory > 1<<20 || passes < 1 || passes > 64 || lanes < 1 {
		return false, fmt.Errorf("password hash: costs %q out of range", parts[3])
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("password hash: salt: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) < 16 {
		return false, fmt.Errorf("password hash: sum damaged")
	}
	sum := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(sum, want) == 1, nil
}

// randomText returns n random bytes as text that needs no escaping in a URL, a shell or a cookie.
func randomText(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}
