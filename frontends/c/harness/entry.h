// How a kernel of C++ is called by a program that knows none of its types. It follows the source; C++11.
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
namespace tunepass_entry {

template <int K, class... A> struct at;
template <class A, class... Rest> struct at<0, A, Rest...> { typedef A type; };
template <int K, class A, class... Rest> struct at<K, A, Rest...> : at<K - 1, Rest...> {};

template <class F> struct signature {
    static_assert(!std::is_member_function_pointer<F>::value, "the kernel needs an object: it is not static");
};
template <class R, class... A> struct signature<R (*)(A...)> {
    typedef R result;
    template <int K> using parameter = typename at<K, A...>::type;
};
#if defined __cpp_noexcept_function_type
template <class R, class... A> struct signature<R (*)(A...) noexcept> : signature<R (*)(A...)> {};
#endif

// Of a member function, which is called on an object that a setup makes.
template <class R, class C, class... A> struct signature<R (C::*)(A...)> : signature<R (*)(A...)> {};
template <class R, class C, class... A> struct signature<R (C::*)(A...) const> : signature<R (*)(A...)> {};
#if defined __cpp_noexcept_function_type
template <class R, class C, class... A> struct signature<R (C::*)(A...) noexcept> : signature<R (*)(A...)> {};
template <class R, class C, class... A> struct signature<R (C::*)(A...) const noexcept> : signature<R (*)(A...)> {};
#endif

// NumPy's letter of a number's type; of others `?`.
template <class T, bool is_enum> struct counted { typedef T type; };
template <class T> struct counted<T, true> { typedef typename std::underlying_type<T>::type type; };
template <class T, bool is_number> struct letter { static const char value = '?'; };
template <class T> struct letter<T, true> {
    static const char value = (T)0.5 == 0.5 ? 'f' : (T)-1 < (T)1 ? 'i' : 'u';
};
template <> struct letter<bool, true> { static const char value = 'b'; };
template <class T> constexpr char kind() {
    typedef typename counted<T, std::is_enum<T>::value>::type number;
    return letter<number, !std::is_class<number>::value && !std::is_union<number>::value &&
                              !std::is_pointer<number>::value && !std::is_member_pointer<number>::value &&
                              !std::is_array<number>::value && !std::is_void<number>::value>::value;
}

template <class P> using plain = typename std::remove_cv<typename std::remove_reference<P>::type>::type;

// Something with data() and size(): a view where a pointer and a size make one, else an owner of its elements.
template <class U, class = void> struct sized : std::false_type { typedef char element; };
template <class U>
struct sized<U, decltype(void(std::declval<U &>().data()), void(std::declval<U &>().size()))> : std::true_type {
    typedef typename std::remove_reference<decltype(*std::declval<U &>().data())>::type element;
};
template <class U> struct is_view {
    typedef typename sized<U>::element element;
    static const bool value = sized<U>::value && std::is_trivially_copyable<U>::value &&
                              std::is_constructible<U, element *, std::size_t>::value;
};
template <class U> struct is_owner {
    static const bool value = sized<U>::value && !std::is_trivially_copyable<U>::value;
};

template <class P, class V> plain<P> number(V value) {
    return static_cast<plain<P>>(value);
}

// The argument whose elements are at `at`, or which is there itself.
template <class P, bool view, bool pointer> struct passed {
    static_assert(is_owner<plain<P>>::value || std::is_trivially_copyable<plain<P>>::value,
                  "tunepass cannot make this argument from an array");
    static P from(void *at, std::size_t) {
        return static_cast<P>(*static_cast<plain<P> *>(at));
    }
};
template <class P, bool pointer> struct passed<P, true, pointer> {
    static plain<P> from(void *at, std::size_t count) {
        return plain<P>(static_cast<typename is_view<plain<P>>::element *>(at), count);
    }
};
template <class P> struct passed<P, false, true> {
    static plain<P> from(void *at, std::size_t) {
        return static_cast<plain<P>>(at);
    }
};
template <class P> struct object : passed<P, is_view<plain<P>>::value, std::is_pointer<plain<P>>::value> {};

// What a setup makes: through a pointer or a reference, or as what it returns.
template <class P> struct pointed_by { typedef typename std::remove_pointer<plain<P>>::type type; };
template <class P> struct pointed_by<P &> { typedef plain<P> type; };
template <class P> using pointed = typename std::remove_cv<typename pointed_by<P>::type>::type;
template <class T> struct made {
    alignas(T) unsigned char place[sizeof(T)];
    T *it;
    T &object() { return *it; }
    void begin() { it = ::new ((void *)place) T(); }
    void end() {
        if (it) it->~T();
        it = nullptr;
    }
};
template <class T> bool is_null(T *&pointer) { return !pointer; }
template <class T> bool is_null(T &) { return false; }

// What is made, as a parameter of type P takes it: itself (0), its address (1), or what it points to (2).
template <class P, class T,
          int how = std::is_convertible<T &, P>::value ? 0 : std::is_convertible<T *, P>::value ? 1 : 2>
struct handed {
    static P from(T &object) { return static_cast<P>(object); }
    static T &seen(T &object) { return object; }
};
template <class P, class T> struct handed<P, T, 1> {
    static P from(T &object) { return &object; }
    static T *seen(T &object) { return &object; }
};
template <class P, class T> struct handed<P, T, 2> {
    static P from(T &object) { return static_cast<P>(*object); }
    static typename std::remove_pointer<T>::type &seen(T &object) { return *object; }
};

// An owner of its elements, made once for each argument. What is asked of it: see containers.h.
struct answer {
    void *object, *data;
    std::size_t size;
};
template <class U, bool counted> struct making {
    static U *at(void *place, std::size_t count) { return ::new (place) U(count); }
};
template <class U> struct making<U, false> { // a string
    static U *at(void *place, std::size_t count) { return ::new (place) U(count, typename sized<U>::element()); }
};
template <class U, int K, bool owner> struct container {
    static answer asked(int, std::size_t) { return answer(); }
};
template <class U, int K> struct container<U, K, true> {
    static answer asked(int what, std::size_t count) {
        alignas(U) static unsigned char place[sizeof(U)];
        static U *it;
        if (what == 1) it = making<U, std::is_constructible<U, std::size_t>::value>::at(place, count);
        if (what == 2) it->~U();
        answer answered = {it, nullptr, 0};
        if (what != 2) answered.data = const_cast<void *>(static_cast<const void *>(it->data()));
        if (what != 2) answered.size = it->size();
        return answered;
    }
};
template <class P> using pointee = plain<typename std::remove_pointer<plain<P>>::type>;
template <class P, int K> struct contained : container<pointee<P>, K, is_owner<pointee<P>>::value> {};

}
