package node

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// credential is what a secret says for a registry.
type credential struct {
	key  string // identifies the secret and what it says; "": no secret
	auth *runtimeapi.AuthConfig
}

// pullSecrets returns the credentials of a pod's secrets that fit an image.
func (a *Agent) pullSecrets(p *v1.Pod, image string) (all []credential) {
	host, _, ok := strings.Cut(image, "/")
	if !ok || !strings.ContainsAny(host, ".:") && host != "localhost" {
		host = "docker.io"
	}
	for _, ref := range p.Spec.ImagePullSecrets {
		if a.api == nil || ref.Name == "" {
			continue
		}
		s, err := a.api.CoreV1().Secrets(p.Namespace).Get(a.ctx, ref.Name, metav1.GetOptions{})
		if err != nil {
			a.log.Info("no pull secret", "secret", ref.Name, "err", err)
			continue
		}
		var config struct {
			Auths map[string]struct{ Username, Password, Auth string }
		}
		if json.Unmarshal(s.Data[v1.DockerConfigJsonKey], &config) != nil {
			continue
		}
		for registry, x := range config.Auths {
			name := strings.TrimPrefix(strings.TrimPrefix(registry, "https://"), "http://")
			if name, _, _ = strings.Cut(name, "/"); name != host && !(host == "docker.io" && strings.HasSuffix(name, "docker.io")) {
				continue
			}
			if b, err := base64.StdEncoding.DecodeString(x.Auth); err == nil && x.Username == "" {
				x.Username, x.Password, _ = strings.Cut(string(b), ":")
			}
			all = append(all, credential{fmt.Sprintf("%s/%s %s:%s", s.Namespace, s.Name, x.Username, x.Password), &runtimeapi.AuthConfig{Username: x.Username, Password: x.Password}})
		}
	}
	return all
}
