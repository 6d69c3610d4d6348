#include "cpu/ray_tracer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pollux {

namespace {

struct Vector {
  double x = 0, y = 0, z = 0;
};
Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(const Vector& a, double by) { return {a.x * by, a.y * by, a.z * by}; }
double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector unit(const Vector& a) { return a * (1 / std::sqrt(dot(a, a))); }

struct Ray {
  Vector from, towards;  // towards has length 1
};
struct Sphere {
  Vector centre;
  double radius;
  Vector colour;
  double mirrors;  // 0: dull, 1: a mirror
};
constexpr Vector light{-4, 7, -5};
constexpr Vector sky{0.45, 0.6, 0.85};
constexpr double near = 1e-6, far = std::numeric_limits<double>::infinity();
constexpr int bounces_max = 4;

std::array<Sphere, 14> make_scene() {
  std::array<Sphere, 14> scene{};
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const auto n = static_cast<double>(i);
    const auto column = static_cast<double>(i % 5), row = static_cast<double>(i / 5);
    scene[i] = {.centre = {column * 1.5 - 3, 0.5 + row * 0.25, row * 1.75 + column * 0.25},
                .radius = 0.5 + row * 0.125,
                .colour = {0.25 + column * 0.1875, 0.875 - row * 0.25, 0.25 + n * 0.046875},
                .mirrors = i % 2 == 0 ? 0.5 : 0.125};
  }
  return scene;
}

double distance_to(const Sphere& sphere, const Ray& ray) {
  const auto to = sphere.centre - ray.from;
  const auto along = dot(to, ray.towards);
  const auto inside = along * along - dot(to, to) + sphere.radius * sphere.radius;
  if (inside < 0) return far;
  const auto half = std::sqrt(inside);
  return along - half > near ? along - half : along + half > near ? along + half : far;
}
double distance_to_floor(const Ray& ray) { return ray.towards.y < -near ? -ray.from.y / ray.towards.y : far; }

struct Hit {
  double distance = far;
  Vector normal, colour;
  double mirrors = 0;
};

class Tracer {
 public:
  [[nodiscard]] Vector colour_of(const Ray& ray, int bounces) const {
    const auto hit = first_hit(ray);
    if (hit.distance == far) return sky * (0.5 + 0.5 * std::max(0.0, ray.towards.y));
    const auto at = ray.from + ray.towards * hit.distance;
    const auto to_light = light - at;
    const auto lit = std::max(0.0, dot(hit.normal, unit(to_light)));
    const auto brightness = 0.2 + (lit > 0 && !in_shadow(at, to_light) ? 0.8 * lit : 0);
    auto colour = hit.colour * brightness;
    if (hit.mirrors > 0 && bounces < bounces_max) {
      const auto mirrored = ray.towards - hit.normal * (2 * dot(ray.towards, hit.normal));
      colour = colour * (1 - hit.mirrors) + colour_of({at, unit(mirrored)}, bounces + 1) * hit.mirrors;
    }
    return colour;
  }

 private:
  [[nodiscard]] Hit first_hit(const Ray& ray) const {
    Hit hit;
    for (const auto& sphere : scene_) {
      const auto distance = distance_to(sphere, ray);
      if (distance >= hit.distance) continue;
      hit = {distance, unit(ray.from + ray.towards * distance - sphere.centre), sphere.colour,
             sphere.mirrors};
    }
    if (const auto distance = distance_to_floor(ray); distance < hit.distance && distance > near) {
      const auto at = ray.from + ray.towards * distance;
      const auto square = static_cast<long>(std::floor(at.x)) + static_cast<long>(std::floor(at.z));
      const double shade = square % 2 == 0 ? 0.875 : 0.25;
      if (distance < 1000) hit = {distance, {0, 1, 0}, {shade, shade, shade}, 0.125};
    }
    return hit;
  }
  [[nodiscard]] bool in_shadow(const Vector& at, const Vector& to_light) const {
    const auto distance = std::sqrt(dot(to_light, to_light));
    const Ray ray{at, to_light * (1 / distance)};
    return std::ranges::any_of(scene_,
                               [&](const Sphere& sphere) { return distance_to(sphere, ray) < distance; });
  }

  const std::array<Sphere, 14> scene_ = make_scene();
};

std::uint8_t byte_of(double part) {
  return static_cast<std::uint8_t>(std::min(255.0, std::max(0.0, part * 255 + 0.5)));
}

}  // namespace

Image trace_image(unsigned width, unsigned height) {
  const Tracer tracer;
  Image image{.width = width, .height = height, .bytes = {}};
  image.bytes.reserve(std::size_t{3} * width * height);
  const Vector eye{0, 2.5, -7};
  for (unsigned row = 0; row < height; ++row) {
    for (unsigned column = 0; column < width; ++column) {
      const auto x = (column + 0.5 - width / 2.0) / height, y = (height / 2.0 - row - 0.5) / height;
      const auto colour = tracer.colour_of({eye, unit({x, y - 0.25, 1})}, 0);
      for (const auto part : {colour.x, colour.y, colour.z}) image.bytes.push_back(byte_of(part));
    }
  }
  return image;
}

std::uint64_t hash_of(const Image& image) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const auto size : {image.width, image.height}) {
    for (unsigned shift = 0; shift < 32; shift += 8) add(static_cast<std::uint8_t>(size >> shift));
  }
  for (const auto byte : image.bytes) add(byte);
  return hash;
}

}  // namespace pollux
