package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is longer than any step of a scenario, because the clock of a crawler may be
// set to the time of the step.
const validity = 365 * 24 * time.Hour

// An authority is a certificate authority that lives as long as an origin.
type authority struct {
	pem    []byte      // its own certificate
	config *tls.Config // with a certificate for the loopback addresses and localhost
}

func newAuthority() (*authority, error) {
	issuer, issuerKey, err := certificate(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "repcheck test authority"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	if err != nil {
		return nil, err
	}
	leaf, leafKey, err := certificate(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}, issuer, issuerKey)
	if err != nil {
		return nil, err
	}
	return &authority{
		pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.Raw}),
		config: &tls.Config{
			Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: leafKey}},
			NextProtos:   []string{"http/1.1"},
		},
	}, nil
}

// certificate makes a certificate with a new key, signed by the issuer or, if that is
// nil, by itself.
func certificate(template, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if issuer == nil {
		issuer, issuerKey = template, key
	}
	template.NotBefore = time.Now().Add(-24 * time.Hour)
	template.NotAfter = time.Now().Add(validity)
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		return nil, nil, err
	}
	made, err := x509.ParseCertificate(der)
	return made, key, err
}

// RootCAs returns the certificate authority of the tls server, nil if the scenario has
// no such server.
func (o *Origin) RootCAs() *x509.CertPool {
	if o.ca == nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(o.ca.pem)
	return pool
}

// CAFile writes the certificate authority of the tls server to a PEM file in the folder
// and returns its name. If the scenario has no such server, it writes nothing and returns
// an empty name.
func (o *Origin) CAFile(dir string) (string, error) {
	if o.ca == nil {
		return "", nil
	}
	name := filepath.Join(dir, "ca.pem")
	return name, os.WriteFile(name, o.ca.pem, 0o644)
}
